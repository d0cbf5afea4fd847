// Reads the environment variables of a client: docs/contract.md, sections 3, 5, 6 and 7.

using System;

namespace Autostrada.Kit
{
    /// <summary>Settings of a client that receives.</summary>
    public sealed class Settings
    {
        public Uri Url;

        /// <summary>Messages per connection; long.MaxValue: until the server closes.</summary>
        public long Messages;

        public long Connections = 1;
        public string Lines = "json";

        /// <summary>Format of the feed to check; null: messages are not checked.</summary>
        public FeedFormat Feed;

        /// <summary>Reads the settings; throws a SettingsException that names a wrong
        /// variable.</summary>
        public static Settings Read(Variables variables)
        {
            var feed = FeedFormat.Read(variables);
            var isUnlimited = feed != null && !variables.Has("MESSAGES");
            return new Settings
            {
                Url = variables.ReadUrl(),
                Messages = isUnlimited ? long.MaxValue : variables.ReadCount("MESSAGES"),
                Connections = variables.ReadCount("CONNECTIONS", "1"),
                Lines = feed != null ? "json" : variables.ReadChoice("LINES", "json", "autoroute"),
                Feed = feed,
            };
        }
    }

    /// <summary>Settings of a client that exchanges echoes.</summary>
    public sealed class EchoSettings
    {
        public Uri Url;
        public long WindowNs;
        public long WarmUpNs;
        public long Connections = 1;
        public string Payload = "hello world";

        /// <summary>Reads the settings; throws a SettingsException that names a wrong
        /// variable.</summary>
        public static EchoSettings Read(Variables variables)
        {
            return new EchoSettings
            {
                WindowNs = variables.ReadTimeNs("WINDOW_S"),
                Url = variables.ReadUrl(),
                WarmUpNs = variables.ReadDurationNs("WARM_UP_S", "0"),
                Connections = variables.ReadCount("CONNECTIONS", "1"),
                Payload = variables.Read("PAYLOAD", "hello world"),
            };
        }
    }
}
