# Reads the environment variables of a server: docs/contract.md, section 4.

require "openssl"

require_relative "variables"

module AutostradaKit
  # Settings of a server, which the environment variables describe.
  class ServerSettings
    include Variables

    attr_reader :host, :port, :tls_cert, :tls_key

    def initialize
      @host = read("HOST", "127.0.0.1")
      @port = read_count("PORT", maximum: 65_535)
      return unless ENV["TLS_CERT"] || ENV["TLS_KEY"]

      @tls_cert = read("TLS_CERT")
      @tls_key = read("TLS_KEY")
      check_tls
    end

    private

    # Ends the program if the certificate or key cannot be read.
    def check_tls
      certificate = OpenSSL::X509::Certificate.new(File.read(tls_cert))
      is_pair = certificate.check_private_key(OpenSSL::PKey.read(File.read(tls_key)))
      raise ArgumentError, "they are of different keys" unless is_pair
    rescue SystemCallError, OpenSSL::OpenSSLError, ArgumentError => error
      reason = "TLS_CERT and TLS_KEY must be a certificate and its key: #{error.message}"
      AutostradaKit.exit_with(2, reason)
    end
  end

  # Calls the block with the settings; an exception ends the program.
  def self.run_server
    yield ServerSettings.new
  rescue StandardError => error
    warn error.backtrace
    exit_with(1, error.message)
  end
end
