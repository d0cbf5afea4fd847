# Tests of a client's settings, of what it does after each message, and of its result.

require "minitest/autorun"
require "open3"
require "stringio"

require "autostrada_kit"

class ClientTest < Minitest::Test
  include AutostradaKit

  URL = "ws://127.0.0.1:8008/5"
  OPENED_NS = 81_000_000_000

  def setup
    @now_ns = OPENED_NS
    @output = StringIO.new
  end

  def make(connections: 1, messages: nil, is_replying: false)
    settings = ClientSettings.new(connections: connections, messages: messages, is_replying: is_replying)
    Client.new(settings, clock: -> { @now_ns }, output: @output)
  end

  def test_reads_the_environment
    assert_equal [URL, 1, nil, false], ClientSettings.read_from({ "URL" => URL }).to_a
    given = { "URL" => URL, "MESSAGES" => "5", "CONNECTIONS" => "3", "VERB" => "reply" }
    assert_equal [URL, 3, 5, true], ClientSettings.read_from(given).to_a
  end

  def test_names_the_variable_that_is_missing_or_wrong
    {
      "URL" => [nil, "", "127.0.0.1:8008", "http://127.0.0.1:8008/5", "ws://", "ws://a:eight/"],
      "MESSAGES" => ["", "0", "-1", "1_000", "1e6", "٣", "9" * 16, "1\n"],
      "CONNECTIONS" => %w[0 two],
      "VERB" => ["", "echo"]
    }.each do |variable, values|
      values.each do |value|
        given = { "URL" => URL }.merge(variable => value)
        error = assert_raises(SettingsError, given.inspect) { ClientSettings.read_from(given) }
        assert_match(/\A#{variable} [^\n]*\z/, error.message)
      end
    end
  end

  def test_a_counting_client_closes_after_the_last_message_wanted
    client = make(connections: 2, messages: 2)
    actions = Array.new(2) { client.opened }.map do |connection|
      Array.new(3) do
        @now_ns += 10
        connection.received
      end
    end
    assert_equal [%i[continue close continue]] * 2, actions
    @now_ns += 900
    refute client.closed
    assert_empty @output.string
    assert client.closed
    line = '{"event":"result","connections":2,"messages":4,' \
           "\"opened_ns\":81000000000,\"received_ns\":81000000050}\n"
    assert_equal line, @output.string
  end

  def test_a_client_without_its_last_message_has_the_instant_of_its_result
    { true => :reply, false => :continue }.each do |is_replying, action|
      setup
      client = make(is_replying: is_replying)
      connection = client.opened
      assert_equal [action, action], [connection.received, connection.received]
      @now_ns += 500
      assert client.closed
      line = '{"event":"result","connections":1,"messages":2,' \
             "\"opened_ns\":81000000000,\"received_ns\":81000000500}\n"
      assert_equal line, @output.string
    end
  end

  def run_ruby(code, **environment)
    given = environment.transform_keys(&:to_s)
    program = "require 'autostrada_kit'; #{code}"
    _, errors, status = Open3.capture3(given, "ruby", "-I#{__dir__}", "-e", program)
    [status.exitstatus, errors]
  end

  def test_a_wrong_environment_is_one_line_and_status_2
    code = "AutostradaKit::Client.from_environment"
    assert_equal [0, ""], run_ruby(code, URL: URL)
    assert_equal [2, "URL is not set\n"], run_ruby(code)
  end

  def test_a_failure_is_one_line_even_if_exceptions_are_rescued
    { "'no route'" => "no route", '"\n404\nno"' => "404" }.each do |reason, printed|
      code = "begin; AutostradaKit::Client.from_environment.fail(#{reason}); ensure; sleep; end"
      assert_equal [1, "#{URL}: #{printed}\n"], run_ruby(code, URL: URL)
    end
  end
end
