# Tests of the settings, and of the exit if a variable is wrong.

require "minitest/autorun"
require "open3"

require "autostrada_kit"

class SettingsTest < Minitest::Test
  include AutostradaKit

  STOCKS_FILE = "#{File.dirname(__dir__)}/stocks.csv"
  RECEIVE = { "URL" => "ws://127.0.0.1:8008/5", "MESSAGES" => "5" }.freeze
  ECHO = { "URL" => "ws://127.0.0.1:8008/echo", "WINDOW_S" => "2" }.freeze

  def assert_wrong(settings, environment, variable)
    error = assert_raises(SettingsError, environment.inspect) { settings.read_from(environment) }
    assert_match(/\A#{variable} [^\n]*\z/, error.message)
  end

  def test_reads_the_settings_of_a_receiver
    expected = ["ws://127.0.0.1:8008/5", 5, 1, "json", nil]
    assert_equal expected, Settings.read_from(RECEIVE).to_a
    given = { "URL" => RECEIVE["URL"], "CONNECTIONS" => "3", "FEED" => "clock" }
    expected = [RECEIVE["URL"], Float::INFINITY, 3, "json", FeedFormat.new("clock", "json")]
    assert_equal expected, Settings.read_from(given).to_a
  end

  def test_names_the_variable_that_is_missing_or_malformed
    {
      "URL" => [nil, "", "127.0.0.1:8008", "http://127.0.0.1:8008/5", "ws://", "ws://a:eight/"],
      "MESSAGES" => [nil, "", "0", "-1", "1_000", "1e6", "٣", "9" * 16, "1\n"],
      "CONNECTIONS" => %w[0 two],
      "LINES" => ["JSON", ""],
      "FEED" => ["weather"]
    }.each do |variable, values|
      values.each { |value| assert_wrong(Settings, RECEIVE.merge(variable => value), variable) }
    end
  end

  def test_reads_the_settings_of_an_exchange
    expected = [ECHO["URL"], 2_000_000_000, 0, 1, "hello world"]
    assert_equal expected, EchoSettings.read_from(ECHO).to_a
    given = { "WINDOW_S" => "1.000000001", "WARM_UP_S" => "0.5", "CONNECTIONS" => "3" }
    payload = "grüezi".dup.force_encoding(Encoding::US_ASCII)
    expected = [ECHO["URL"], 1_000_000_001, 500_000_000, 3, "grüezi"]
    assert_equal expected, EchoSettings.read_from(ECHO.merge(given, "PAYLOAD" => payload)).to_a
  end

  def test_names_the_variable_of_an_exchange_that_is_malformed
    {
      "CONNECTIONS" => %w[0],
      "WARM_UP_S" => ["-1", "1e3", "", "1."],
      "WINDOW_S" => [nil, "0", "0.0", "nan", "two", "1000000"]
    }.each do |variable, values|
      values.each do |value|
        assert_wrong(EchoSettings, ECHO.merge(variable => value), variable)
      end
    end
  end

  def test_reads_the_settings_of_a_server
    plain = ["127.0.0.1", 8008, nil, nil, 1, false, nil]
    assert_equal plain, ServerSettings.read_from({ "PORT" => "8008" }).to_a
    given = {
      "HOST" => "127.0.0.2", "PORT" => "8008", "WORKERS" => "2", "COMPRESSION" => "deflate",
      "FEED" => "stocks", "ENCODING" => "binary", "STOCKS" => "3", "STOCKS_FILE" => STOCKS_FILE,
      "SUBSCRIBERS" => "8", "EVERY_MS" => "0.5", "SECONDS" => "1.5"
    }
    settings = ServerSettings.read_from(given)
    assert_equal ["127.0.0.2", 8008, nil, nil, 2, true], settings.to_a[..5]
    stocks = FeedFormat.new("stocks", "binary")
    expected = [stocks, 3, STOCKS_FILE, 8, 500_000, 1_500_000_000, Float::INFINITY]
    assert_equal expected, settings.feed.to_a
  end

  def test_names_the_variable_of_a_server_that_is_missing_or_wrong
    hello = { "FEED" => "hello", "MESSAGES" => "1" }
    stocks = { "FEED" => "stocks", "MESSAGES" => "1" }
    [
      ["PORT", { "PORT" => "0" }],
      ["PORT", { "PORT" => "65536" }],
      ["WORKERS", { "WORKERS" => "0" }],
      ["COMPRESSION", { "COMPRESSION" => "gzip" }],
      ["TLS_KEY", { "TLS_CERT" => "certificate.pem" }],
      ["TLS_CERT", { "TLS_KEY" => "key.pem" }],
      ["TLS_CERT", { "TLS_CERT" => "none.pem", "TLS_KEY" => "none.pem" }],
      ["TLS_CERT", { "TLS_CERT" => __FILE__, "TLS_KEY" => __FILE__ }],
      ["ENCODING", hello.merge("ENCODING" => "xml")],
      ["MESSAGES", { "FEED" => "hello" }],
      ["MESSAGES", hello.merge("SECONDS" => "1")],
      ["SECONDS", { "FEED" => "hello", "SECONDS" => "0" }],
      ["EVERY_MS", hello.merge("EVERY_MS" => "0")],
      ["SUBSCRIBERS", hello.merge("SUBSCRIBERS" => "0")],
      ["STOCKS", hello.merge("STOCKS" => "1000001")],
      ["STOCKS_FILE", stocks],
      ["STOCKS_FILE", stocks.merge("STOCKS_FILE" => "/none.csv")],
      ["STOCKS_FILE", stocks.merge("STOCKS_FILE" => __FILE__)]
    ].each do |variable, given|
      assert_wrong(ServerSettings, { "PORT" => "8008" }.merge(given), variable)
    end
  end

  def run_ruby(code, **environment)
    given = environment.transform_keys(&:to_s)
    program = "require 'autostrada_kit'; #{code}"
    _, errors, status = Open3.capture3(given, "ruby", "-I#{__dir__}", "-e", program)
    [status.exitstatus, errors]
  end

  def test_exits_with_status_2_and_one_line_when_a_variable_is_wrong
    code = "AutostradaKit.choose('WORKLOAD', 'receive', 'echo')"
    assert_equal [0, ""], run_ruby(code, WORKLOAD: "echo")
    line = "WORKLOAD must be receive or echo, not \"sing\"\n"
    assert_equal [2, line], run_ruby(code, WORKLOAD: "sing")
  end

  def test_a_failure_is_one_line_even_if_exceptions_are_rescued
    { "'no route'" => "no route", "IOError.new" => "IOError", '"\n404\nno"' => "404" }
      .each do |reason, printed|
        code = "begin; AutostradaKit::Exchanger.from_environment.fail(#{reason}); ensure; sleep; end"
        expected = [1, "cannot exchange with ws://127.0.0.1:8008/echo: #{printed}\n"]
        assert_equal expected, run_ruby(code, URL: ECHO["URL"], WINDOW_S: "1")
      end
  end

  def test_workers_end_with_their_parent
    code = "require 'autostrada_kit'; " \
           "AutostradaKit.run_workers(2) { $stdout.syswrite(\"#{'#{Process.pid}'}\\n\"); sleep }"
    Open3.popen3("ruby", "-I#{__dir__}", "-e", code) do |_, output, _, thread|
      workers = Array.new(2) { output.readline.to_i }
      assert_equal 2, workers.uniq.size
      Process.kill("TERM", thread.pid)
      assert_equal 1, thread.value.exitstatus
      workers.each { |worker| assert_raises(Errno::ESRCH) { Process.kill(0, worker) } }
    end
  end
end
