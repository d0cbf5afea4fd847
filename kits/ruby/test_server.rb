# Tests of a server's settings, and of its failure.

require "minitest/autorun"
require "open3"
require "openssl"
require "tmpdir"

require "autostrada_kit"

class ServerTest < Minitest::Test
  include AutostradaKit

  def test_reads_the_environment
    assert_equal ["127.0.0.1", 8008, nil, nil], ServerSettings.read_from({ "PORT" => "8008" }).to_a
    given = { "HOST" => "::1", "PORT" => "65535" }
    assert_equal ["::1", 65_535, nil, nil], ServerSettings.read_from(given).to_a
  end

  def assert_wrong(variable, given)
    environment = { "PORT" => "8008" }.merge(given)
    error = assert_raises(SettingsError, given.inspect) { ServerSettings.read_from(environment) }
    assert_match(/\A#{variable} [^\n]*\z/, error.message)
  end

  def test_names_the_variable_that_is_missing_or_wrong
    [
      ["PORT", { "PORT" => nil }],
      ["PORT", { "PORT" => "65536" }],
      ["TLS_KEY", { "TLS_CERT" => "certificate.pem" }],
      ["TLS_CERT", { "TLS_KEY" => "key.pem" }],
      ["TLS_CERT", { "TLS_CERT" => "none.pem", "TLS_KEY" => "none.pem" }],
      ["TLS_CERT", { "TLS_CERT" => __FILE__, "TLS_KEY" => __FILE__ }]
    ].each { |variable, given| assert_wrong(variable, given) }
  end

  def certificate_of(key)
    certificate = OpenSSL::X509::Certificate.new
    certificate.public_key = key
    certificate.not_before = Time.now
    certificate.not_after = Time.now + 60
    certificate.sign(key, "SHA256")
  end

  def test_takes_a_certificate_only_with_its_key
    keys = Array.new(2) { OpenSSL::PKey::EC.generate("prime256v1") }
    Dir.mktmpdir do |folder|
      given = { "TLS_CERT" => "#{folder}/certificate.pem", "TLS_KEY" => "#{folder}/key.pem" }
      File.write(given["TLS_CERT"], certificate_of(keys[0]).to_pem)
      File.write(given["TLS_KEY"], keys[0].to_pem)
      settings = ServerSettings.read_from(given.merge("PORT" => "8008"))
      assert_equal given.values, [settings.tls_cert, settings.tls_key]
      File.write(given["TLS_KEY"], keys[1].to_pem)
      assert_wrong("TLS_CERT", given)
    end
  end

  def test_a_failure_is_status_1_and_ends_with_its_reason
    code = "require 'autostrada_kit'; AutostradaKit.run_server { |settings| raise settings.host }"
    _, errors, status = Open3.capture3({ "PORT" => "8008" }, "ruby", "-I#{__dir__}", "-e", code)
    assert_equal [1, "127.0.0.1\n"], [status.exitstatus, errors.lines.last]
  end
end
