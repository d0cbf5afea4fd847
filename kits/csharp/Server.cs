// Reads the settings of a server: docs/contract.md, section 4.

using System;
using System.Net;

namespace Autostrada.Kit
{
    public sealed class Server
    {
        public readonly IPAddress Host;
        public readonly int Port;

        /// <summary>Whether compression is granted to clients that offer it.</summary>
        public readonly bool Deflate;

        readonly string _certificate;
        readonly string _key;

        Server()
        {
            Host = Variables.ReadHost();
            Port = (int)Variables.ReadCount("PORT", maximum: 65535);
            Deflate = Variables.ReadChoice("COMPRESSION", "", "deflate") == "deflate";
            _certificate = Variables.Read("TLS_CERT", "");
            _key = Variables.Read("TLS_KEY", "");
        }

        /// <summary>Reads the settings and calls a function with them, which serves; an exception
        /// ends the program.</summary>
        public static void Run(Action<Server> serve)
        {
            Programs.Run(() => serve(new Server()));
        }

        /// <summary>Loads the certificate from its file and that of its key; returns null without
        /// TLS.</summary>
        public T Certificate<T>(Func<string, string, T> load) where T : class
        {
            if (_certificate == "" && _key == "")
            {
                return null;
            }
            try
            {
                return load(_certificate, _key);
            }
            catch (Exception error)
            {
                throw new SettingsException(
                    $"TLS_CERT is \"{_certificate}\": give a certificate, and its key: {error.Message}");
            }
        }
    }
}
