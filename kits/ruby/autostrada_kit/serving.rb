# Reads the environment variables of a server: docs/contract.md, section 8.

require "openssl"

require_relative "feed"
require_relative "variables"

module AutostradaKit
  # Settings of a feed.
  FeedSettings = Struct.new(
    :format, :stocks, :stocks_file, :subscribers, :every_ns, :duration_ns, :messages, keyword_init: true
  ) do
    extend Variables

    # Reads the variables of a feed; returns nil if FEED is not set.
    def self.read_from(environment)
      format = FeedFormat.read_from(environment)
      return unless format

      is_timed = !environment["SECONDS"].nil?
      if is_timed == !environment["MESSAGES"].nil?
        raise SettingsError, "MESSAGES or SECONDS: set exactly one of them"
      end
      settings = new(
        format: format,
        stocks: read_count(environment, "STOCKS", "1", maximum: 1_000_000),
        stocks_file: format.kind == "stocks" ? read(environment, "STOCKS_FILE") : nil,
        subscribers: read_count(environment, "SUBSCRIBERS", "1"),
        # nil: continuous
        every_ns: environment["EVERY_MS"] ? read_interval_ns(environment) : nil,
        duration_ns: is_timed ? read_time_ns(environment, "SECONDS") : nil,
        messages: is_timed ? Float::INFINITY : read_count(environment, "MESSAGES")
      )
      settings.check_stocks_file
      settings
    end

    # Reads the file again and returns the records of a message: docs/contract.md, clause 7.1.
    def stocks_of_message(number)
      return [] unless stocks_file

      rows = Stock.parse_all(File.read(stocks_file, encoding: Encoding::UTF_8))
      Array.new(stocks) { |index| rows[(number + index) % rows.size] }
    end

    # Raises a SettingsError if the records cannot be read.
    def check_stocks_file
      stocks_of_message(0)
    rescue SystemCallError, ArgumentError => error
      raise SettingsError, "STOCKS_FILE #{error.message}"
    end
  end

  # Settings of a server.
  ServerSettings = Struct.new(
    :host, :port, :tls_cert, :tls_key, :workers, :deflate, :feed, keyword_init: true
  ) do
    extend Variables

    # Reads the environment variables, or exits with status 2 and the reason if one is wrong.
    def self.from_environment
      AutostradaKit.read_or_exit { |environment| read_from(environment) }
    end

    # Reads the variables of a server; raises a SettingsError that names a wrong one.
    def self.read_from(environment)
      settings = new(
        host: read(environment, "HOST", "127.0.0.1"),
        port: read_count(environment, "PORT", maximum: 65_535),
        tls_cert: environment["TLS_CERT"],
        tls_key: environment["TLS_KEY"],
        workers: read_count(environment, "WORKERS", "1"),
        deflate: read_choice(environment, "COMPRESSION", ["", "deflate"]) == "deflate",
        feed: FeedSettings.read_from(environment)
      )
      settings.check_tls
      settings
    end

    # Raises a SettingsError if the certificate or key is missing or cannot be read.
    def check_tls
      return unless tls_cert || tls_key
      raise SettingsError, "TLS_CERT is missing: TLS_KEY is set" unless tls_cert
      raise SettingsError, "TLS_KEY is missing: TLS_CERT is set" unless tls_key

      begin
        certificate = OpenSSL::X509::Certificate.new(File.read(tls_cert))
        is_pair = certificate.check_private_key(OpenSSL::PKey.read(File.read(tls_key)))
        raise ArgumentError, "they are of different keys" unless is_pair
      rescue SystemCallError, OpenSSL::OpenSSLError, ArgumentError => error
        reason = "TLS_CERT and TLS_KEY must be a certificate and its key: #{error.message}"
        raise SettingsError, reason
      end
    end
  end
end
