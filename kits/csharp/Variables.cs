// Reads and validates single environment variables.

using System;
using System.Globalization;
using System.Linq;
using System.Net;
using System.Text.RegularExpressions;

namespace Autostrada.Kit
{
    /// <summary>Thrown if an environment variable is missing or wrong.</summary>
    public sealed class SettingsException : Exception
    {
        public SettingsException(string reason) : base(reason) { }
    }

    /// <summary>The variables of the environment.</summary>
    static class Variables
    {
        const long CountMax = 999999999999999;

        public static bool Has(string variable)
        {
            return Environment.GetEnvironmentVariable(variable) != null;
        }

        /// <summary>Reads a variable; without a default it is required.</summary>
        public static string Read(string variable, string byDefault = null)
        {
            var value = Environment.GetEnvironmentVariable(variable) ?? byDefault;
            return value ?? throw new SettingsException($"{variable} is not set");
        }

        /// <summary>Reads a whole number of at least 1.</summary>
        public static long ReadCount(string variable, string byDefault = null, long maximum = CountMax)
        {
            var value = Read(variable, byDefault);
            var isCount = Regex.IsMatch(value, @"\A[1-9][0-9]{0,14}\z");
            if (!isCount || long.Parse(value, CultureInfo.InvariantCulture) > maximum)
            {
                throw Wrong(variable, value, $"a whole number from 1 to {maximum}");
            }
            return long.Parse(value, CultureInfo.InvariantCulture);
        }

        /// <summary>Reads a variable with a fixed set of values; the first one is the
        /// default.</summary>
        public static string ReadChoice(string variable, params string[] choices)
        {
            var value = Read(variable, choices[0]);
            return choices.Contains(value)
                ? value
                : throw Wrong(variable, value, string.Join(" or ", choices));
        }

        /// <summary>Reads URL, the server's address.</summary>
        public static Uri ReadUrl()
        {
            var value = Read("URL");
            var isUrl = Uri.TryCreate(value, UriKind.Absolute, out var url);
            if (!isUrl || (url.Scheme != "ws" && url.Scheme != "wss") || url.Host == "")
            {
                throw Wrong("URL", value, "an address such as ws://host:port/path");
            }
            return url;
        }

        /// <summary>Reads HOST, the address to listen on.</summary>
        public static IPAddress ReadHost()
        {
            var value = Read("HOST", "127.0.0.1");
            return IPAddress.TryParse(value, out var address)
                ? address
                : throw Wrong("HOST", value, "an IP address");
        }

        static SettingsException Wrong(string variable, string value, string expected)
        {
            return new SettingsException($"{variable} is \"{value}\": give {expected}");
        }
    }
}
