# Reads the environment variables of a server: docs/contract.md, section 4.

require "openssl"

require_relative "variables"

module AutostradaKit
  # Settings of a server.
  ServerSettings = Struct.new(:host, :port, :tls_cert, :tls_key, keyword_init: true) do
    extend Variables

    # Reads the variables of a server; raises a SettingsError that names a wrong one.
    def self.read_from(environment)
      settings = new(
        host: read(environment, "HOST", "127.0.0.1"),
        port: read_count(environment, "PORT", maximum: 65_535),
        tls_cert: environment["TLS_CERT"],
        tls_key: environment["TLS_KEY"]
      )
      settings.check_tls
      settings
    end

    # Raises a SettingsError if the certificate or key is missing or cannot be read.
    def check_tls
      return unless tls_cert || tls_key
      raise SettingsError, "TLS_CERT is not set" unless tls_cert
      raise SettingsError, "TLS_KEY is not set" unless tls_key

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

  # Calls the block with the settings that the environment variables describe.
  def self.run_server
    yield read_or_exit { |environment| ServerSettings.read_from(environment) }
  rescue StandardError => error
    warn error.backtrace
    exit_with(1, error.message)
  end
end
