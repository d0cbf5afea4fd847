# Ends the program after a fatal error.

module AutostradaKit
  # Exits at once with status 1 and the first line of the reason.
  def self.exit_with(before, reason)
    lines = reason.to_s.strip.lines
    lines = [reason.class.name] if lines.empty?
    $stderr.puts "#{before}#{lines.first.chomp}"
    $stderr.flush
    # Not an exception, because the caller might rescue it.
    exit!(1)
  end
end
