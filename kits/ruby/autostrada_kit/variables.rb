# Reads single environment variables, and ends the program if one is wrong.

require "uri"

module AutostradaKit
  # Raised if an environment variable is missing or wrong; its message begins with the name.
  class SettingsError < StandardError; end

  # Calls the block with the environment; if a variable is wrong, ends the program with status 2.
  def self.read_or_exit
    yield ENV
  rescue SettingsError => error
    exit_with(2, error.message)
  end

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
    def read_url(environment)
      url = read(environment, "URL")
      return url if web_socket_url?(url)

      raise SettingsError, "URL must be like ws://127.0.0.1:8008/1000, not #{url.inspect}"
    end

    def web_socket_url?(url)
      parts = URI.parse(url)
      %w[ws wss].include?(parts.scheme) && !parts.host.to_s.empty? && parts.port != 0
    rescue URI::InvalidURIError
      false
    end

    # Reads a whole number from 1 to +maximum+.
    def read_count(environment, variable, default = nil, maximum: 10**15 - 1)
      value = read(environment, variable, default)
      return value.to_i if value.match?(/\A[1-9][0-9]{0,14}\z/) && value.to_i <= maximum

      raise SettingsError, "#{variable} must be a whole number from 1 to #{maximum}, not #{value.inspect}"
    end

    # Reads a variable with a fixed set of values; the first one is the default.
    def read_choice(environment, variable, choices)
      value = read(environment, variable, choices.first)
      return value if choices.include?(value)

      rule = choices.map(&:inspect).join(" or ")
      raise SettingsError, "#{variable} must be #{rule}, not #{value.inspect}"
    end

    # Reads a variable; without a default it is required.
    def read(environment, variable, default = nil)
      value = environment[variable] || default
      raise SettingsError, "#{variable} is not set" unless value

      # Ruby assumes the locale's encoding, which may not be UTF-8.
      value.dup.force_encoding(Encoding::UTF_8)
    end
  end
end
