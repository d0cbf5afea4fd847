# Reads and validates single environment variables.

require "uri"

module AutostradaKit
  # Raised if an environment variable is missing or wrong.
  class SettingsError < StandardError; end

  # Calls the block with the environment; if a variable is wrong, exits with status 2 and the
  # reason.
  def self.read_or_exit
    yield ENV
  rescue SettingsError => error
    warn error.message
    exit 2
  end

  # Returns a variable with a fixed set of values; the first one is the default.
  def self.choose(variable, *choices)
    read_or_exit { |environment| Variables.read_choice(environment, variable, choices) }
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
      unless value.match?(/\A[1-9][0-9]{0,14}\z/)
        raise SettingsError, "#{variable} must be a whole number from 1, not #{value.inspect}"
      end
      return value.to_i if value.to_i <= maximum

      raise SettingsError, "#{variable} must be at most #{maximum}, not #{value}"
    end

    # Reads a number of seconds; returns nanoseconds.
    def read_duration_ns(environment, variable, default = nil)
      value = read(environment, variable, default)
      unless value.match?(/\A[0-9]{1,6}(\.[0-9]{1,9})?\z/)
        raise SettingsError, "#{variable} must be seconds like 2 or 0.5, not #{value.inspect}"
      end
      (value.to_r * 1_000_000_000).to_i
    end

    # Reads a number of seconds greater than 0; returns nanoseconds.
    def read_time_ns(environment, variable)
      duration_ns = read_duration_ns(environment, variable)
      return duration_ns if duration_ns.positive?

      raise SettingsError, "#{variable} must be more than 0: nothing would count"
    end

    # Reads EVERY_MS, the interval of a schedule; returns nanoseconds.
    def read_interval_ns(environment)
      value = read(environment, "EVERY_MS")
      unless value.match?(/\A[0-9]{1,7}(\.[0-9]{1,6})?\z/) && value.to_r.positive?
        raise SettingsError, "EVERY_MS must be milliseconds like 50 or 0.5, not #{value.inspect}"
      end
      (value.to_r * 1_000_000).to_i
    end

    # Reads a variable with a fixed set of values; the first one is the default.
    def read_choice(environment, variable, choices)
      value = read(environment, variable, choices.first)
      return value if choices.include?(value)

      raise SettingsError, "#{variable} must be #{choices.join(' or ')}, not #{value.inspect}"
    end

    # Reads a variable; without a default it is required.
    def read(environment, variable, default = nil)
      value = environment[variable] || default
      raise SettingsError, "#{variable} is missing: set it in the environment" unless value

      # Ruby assumes the locale's encoding, which may not be UTF-8.
      value.dup.force_encoding(Encoding::UTF_8)
    end
  end
end
