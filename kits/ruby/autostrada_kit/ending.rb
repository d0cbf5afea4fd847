# How a program ends that cannot go on.

module AutostradaKit
  # Exits at once with status 1 and a reason, of which the first line is printed.
  def self.exit_with(before, reason)
    lines = reason.to_s.strip.lines
    lines = [reason.class.name] if lines.empty?
    $stderr.puts "#{before}#{lines.first.chomp}"
    $stderr.flush
    # No exception: whatever called this might catch it.
    exit!(1)
  end
end
