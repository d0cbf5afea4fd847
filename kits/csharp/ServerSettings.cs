// Reads the environment variables of a server: docs/contract.md, section 8.

using System;
using System.Collections.Generic;
using System.IO;

namespace Autostrada.Kit
{
    /// <summary>Settings of a feed.</summary>
    public sealed class FeedSettings
    {
        public FeedFormat Format;
        public long Stocks = 1;
        public string StocksFile;
        public long Subscribers = 1;

        /// <summary>Interval between messages, in nanoseconds; null: continuous.</summary>
        public long? EveryNs;

        public long? DurationNs;
        public long Messages = long.MaxValue;

        /// <summary>Reads the variables of a feed; returns null if FEED is not set.</summary>
        public static FeedSettings Read(Variables variables)
        {
            var format = FeedFormat.Read(variables);
            if (format == null)
            {
                return null;
            }
            var isTimed = variables.Has("SECONDS");
            if (isTimed == variables.Has("MESSAGES"))
            {
                throw new SettingsException("MESSAGES or SECONDS: set exactly one of them");
            }
            var settings = new FeedSettings
            {
                Format = format,
                Stocks = variables.ReadCount("STOCKS", "1", 1000000),
                StocksFile = format.Kind == "stocks" ? variables.Read("STOCKS_FILE") : null,
                Subscribers = variables.ReadCount("SUBSCRIBERS", "1"),
                EveryNs = variables.Has("EVERY_MS") ? variables.ReadIntervalNs() : (long?)null,
                DurationNs = isTimed ? variables.ReadTimeNs("SECONDS") : (long?)null,
                Messages = isTimed ? long.MaxValue : variables.ReadCount("MESSAGES"),
            };
            settings.CheckStocksFile();
            return settings;
        }

        /// <summary>Reads the file again and returns the records of a message: docs/contract.md,
        /// clause 7.1.</summary>
        public IReadOnlyList<Stock> StocksOfMessage(long number)
        {
            if (StocksFile == null)
            {
                return null;
            }
            var rows = Stock.ParseAll(File.ReadAllText(StocksFile));
            var stocks = new Stock[Stocks];
            for (var i = 0; i < stocks.Length; i += 1)
            {
                stocks[i] = rows[(int)((number + i) % rows.Count)];
            }
            return stocks;
        }

        void CheckStocksFile()
        {
            try
            {
                StocksOfMessage(0);
            }
            catch (Exception error) when (
                error is IOException || error is UnauthorizedAccessException
                || error is FormatException)
            {
                throw new SettingsException($"STOCKS_FILE {error.Message}");
            }
        }
    }

    /// <summary>Settings of a server.</summary>
    public sealed class ServerSettings
    {
        public string Host;
        public int Port;

        /// <summary>Path of the certificate; null: without TLS.</summary>
        public string TlsCert;

        public string TlsKey;
        public long Workers = 1;
        public bool Deflate;
        public FeedSettings Feed;

        /// <summary>Reads the settings; throws a SettingsException that names a wrong
        /// variable.</summary>
        public static ServerSettings Read(Variables variables)
        {
            RequireBoth(variables, "TLS_CERT", "TLS_KEY");
            RequireBoth(variables, "TLS_KEY", "TLS_CERT");
            var isTls = variables.Has("TLS_CERT");
            return new ServerSettings
            {
                Host = variables.Read("HOST", "127.0.0.1"),
                Port = (int)variables.ReadCount("PORT", maximum: 65535),
                TlsCert = isTls ? variables.Read("TLS_CERT") : null,
                TlsKey = isTls ? variables.Read("TLS_KEY") : null,
                Workers = variables.ReadCount("WORKERS", "1"),
                Deflate = variables.ReadChoice("COMPRESSION", "", "deflate") == "deflate",
                Feed = FeedSettings.Read(variables),
            };
        }

        static void RequireBoth(Variables variables, string one, string other)
        {
            if (variables.Has(one) && !variables.Has(other))
            {
                throw new SettingsException($"{other} is missing: {one} is set");
            }
        }
    }
}
