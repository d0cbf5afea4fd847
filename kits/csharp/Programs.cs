// Runs a program, and ends it with one line on stderr if it fails.

using System;

namespace Autostrada.Kit
{
    static class Programs
    {
        public static void Run(Action program)
        {
            try
            {
                program();
            }
            catch (Exception error)
            {
                Exit(error);
            }
        }

        /// <summary>Exits with the reason, and with status 2 if a variable is wrong.</summary>
        public static void Exit(Exception error)
        {
            // The outer exception of a failed connection hides the cause.
            var cause = error.GetBaseException();
            var line = cause.Message.Trim().Split('\n')[0].Trim();
            Console.Error.WriteLine(line == "" ? cause.GetType().Name : line);
            Environment.Exit(cause is SettingsException ? 2 : 1);
        }
    }
}
