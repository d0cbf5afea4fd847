# Reads single environment variables, and ends the program if one is wrong.

require "uri"

module AutostradaKit
  # Ends the program at once, with the first line of the reason on stderr.
  def self.exit_with(status, reason)
    lines = reason.to_s.strip.lines
    lines = [reason.class.name] if lines.empty?
    $stderr.puts lines.first.chomp
    $stderr.flush
    # Not an exception, because the caller might rescue it.
    exit!(status)
  end

  # Functions that read variables, one per type.
  module Variables
    module_function

    # Reads URL, the server's address.
    def read_url
      url = read("URL")
      return url if web_socket_url?(url)

      AutostradaKit.exit_with(2, "URL must be like ws://127.0.0.1:8008/1000, not #{url.inspect}")
    end

    def web_socket_url?(url)
      parts = URI.parse(url)
      %w[ws wss].include?(parts.scheme) && !parts.host.to_s.empty? && parts.port != 0
    rescue URI::InvalidURIError
      false
    end

    # Reads a whole number from 1 to +maximum+.
    def read_count(variable, default = nil, maximum: 10**15 - 1)
      value = read(variable, default)
      return value.to_i if value.match?(/\A[1-9][0-9]{0,14}\z/) && value.to_i <= maximum

      reason = "#{variable} must be a whole number from 1 to #{maximum}, not #{value.inspect}"
      AutostradaKit.exit_with(2, reason)
    end

    # Reads a variable with a fixed set of values; the first one is the default.
    def read_choice(variable, choices)
      value = read(variable, choices.first)
      return value if choices.include?(value)

      rule = choices.map(&:inspect).join(" or ")
      AutostradaKit.exit_with(2, "#{variable} must be #{rule}, not #{value.inspect}")
    end

    # Reads a variable; without a default it is required.
    def read(variable, default = nil)
      value = ENV[variable] || default
      AutostradaKit.exit_with(2, "#{variable} is not set") unless value

      # Ruby assumes the locale's encoding, which may not be UTF-8.
      value.dup.force_encoding(Encoding::UTF_8)
    end
  end
end
