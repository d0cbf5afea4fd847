// Reads and validates single environment variables.

using System;
using System.Globalization;
using System.Linq;
using System.Text.RegularExpressions;

namespace Autostrada.Kit
{
    /// <summary>Thrown if an environment variable is missing or wrong.</summary>
    public sealed class SettingsException : Exception
    {
        public SettingsException(string reason) : base(reason) { }
    }

    /// <summary>The variables of the environment, or of a test.</summary>
    public sealed class Variables
    {
        const long CountMax = 999999999999999;

        readonly Func<string, string> _find;

        public Variables(Func<string, string> find)
        {
            _find = find;
        }

        public static Variables OfEnvironment { get; } =
            new Variables(Environment.GetEnvironmentVariable);

        /// <summary>Reads settings; if a variable is wrong, exits with status 2 and the
        /// reason.</summary>
        public static T ReadOrExit<T>(Func<Variables, T> read)
        {
            try
            {
                return read(OfEnvironment);
            }
            catch (SettingsException error)
            {
                Console.Error.WriteLine(error.Message);
                Environment.Exit(2);
                throw;
            }
        }

        /// <summary>Returns a variable with a fixed set of values; the first one is the
        /// default.</summary>
        public static string Choose(string variable, params string[] choices)
        {
            return ReadOrExit(variables => variables.ReadChoice(variable, choices));
        }

        public bool Has(string variable)
        {
            return _find(variable) != null;
        }

        /// <summary>Reads URL, the server's address.</summary>
        public Uri ReadUrl()
        {
            var value = Read("URL");
            var isUrl = Uri.TryCreate(value, UriKind.Absolute, out var url);
            if (!isUrl || (url.Scheme != "ws" && url.Scheme != "wss") || url.Host == "")
            {
                throw new SettingsException(
                    $"URL must be like ws://127.0.0.1:8008/1000, not '{value}'");
            }
            return url;
        }

        /// <summary>Reads a whole number of at least 1.</summary>
        public long ReadCount(string variable, string byDefault = null, long maximum = CountMax)
        {
            var value = Read(variable, byDefault);
            if (!Regex.IsMatch(value, @"\A[1-9][0-9]{0,14}\z"))
            {
                throw new SettingsException(
                    $"{variable} must be a whole number from 1, not '{value}'");
            }
            var count = long.Parse(value, CultureInfo.InvariantCulture);
            if (count > maximum)
            {
                throw new SettingsException($"{variable} must be at most {maximum}, not {value}");
            }
            return count;
        }

        /// <summary>Reads a number of seconds; returns nanoseconds.</summary>
        public long ReadDurationNs(string variable, string byDefault = null)
        {
            var value = Read(variable, byDefault);
            if (!Regex.IsMatch(value, @"\A[0-9]{1,6}(\.[0-9]{1,9})?\z"))
            {
                throw new SettingsException(
                    $"{variable} must be seconds like 2 or 0.5, not '{value}'");
            }
            return (long)(decimal.Parse(value, CultureInfo.InvariantCulture) * 1000000000);
        }

        /// <summary>Reads a number of seconds greater than 0; returns nanoseconds.</summary>
        public long ReadTimeNs(string variable)
        {
            var durationNs = ReadDurationNs(variable);
            if (durationNs == 0)
            {
                throw new SettingsException($"{variable} must be more than 0: nothing would count");
            }
            return durationNs;
        }

        /// <summary>Reads EVERY_MS, the interval of a schedule; returns nanoseconds.</summary>
        public long ReadIntervalNs()
        {
            var value = Read("EVERY_MS");
            var isNumber = Regex.IsMatch(value, @"\A[0-9]{1,7}(\.[0-9]{1,6})?\z");
            if (!isNumber || decimal.Parse(value, CultureInfo.InvariantCulture) == 0)
            {
                throw new SettingsException(
                    $"EVERY_MS must be milliseconds like 50 or 0.5, not '{value}'");
            }
            return (long)(decimal.Parse(value, CultureInfo.InvariantCulture) * 1000000);
        }

        /// <summary>Reads a variable with a fixed set of values; the first one is the
        /// default.</summary>
        public string ReadChoice(string variable, params string[] choices)
        {
            var value = Read(variable, choices[0]);
            if (!choices.Contains(value))
            {
                var all = string.Join(" or ", choices);
                throw new SettingsException($"{variable} must be {all}, not '{value}'");
            }
            return value;
        }

        /// <summary>Reads a variable; without a default it is required.</summary>
        public string Read(string variable, string byDefault = null)
        {
            var value = _find(variable) ?? byDefault;
            if (value == null)
            {
                throw new SettingsException($"{variable} is missing: set it in the environment");
            }
            return value;
        }
    }
}
