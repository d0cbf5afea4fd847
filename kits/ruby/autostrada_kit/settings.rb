# Reads the environment variables of a client: docs/contract.md, sections 3, 5 and 7.

require_relative "feed"
require_relative "variables"

module AutostradaKit
  # Settings of a client that receives.
  Settings = Struct.new(:url, :messages, :connections, :lines, :feed, keyword_init: true) do
    extend Variables

    # Reads the variables of a client; raises a SettingsError that names a wrong one.
    def self.read_from(environment)
      feed = FeedFormat.read_from(environment)
      is_unlimited = feed && !environment["MESSAGES"]
      new(
        url: read_url(environment),
        messages: is_unlimited ? Float::INFINITY : read_count(environment, "MESSAGES"),
        connections: read_count(environment, "CONNECTIONS", "1"),
        lines: feed ? "json" : read_choice(environment, "LINES", %w[json autoroute]),
        feed: feed
      )
    end
  end

  # Settings of a client that exchanges echoes.
  EchoSettings = Struct.new(
    :url, :window_ns, :warm_up_ns, :connections, :payload, keyword_init: true
  ) do
    extend Variables

    # Reads the variables of a client; raises a SettingsError that names a wrong one.
    def self.read_from(environment)
      new(
        window_ns: read_time_ns(environment, "WINDOW_S"),
        url: read_url(environment),
        warm_up_ns: read_duration_ns(environment, "WARM_UP_S", "0"),
        connections: read_count(environment, "CONNECTIONS", "1"),
        payload: read(environment, "PAYLOAD", "hello world")
      )
    end
  end
end
