// Reads the monotonic clock, waits, and ends the program after a fatal error.

using System;
using System.Diagnostics;
using System.Threading.Tasks;

namespace Autostrada.Kit
{
    public static class Clock
    {
        public const long SecondNs = 1000000000;
        const long MillisecondNs = 1000000;

        /// <summary>Returns the time of CLOCK_MONOTONIC, in nanoseconds.</summary>
        public static long NowNs()
        {
            return Stopwatch.GetTimestamp() * (SecondNs / Stopwatch.Frequency);
        }

        /// <summary>Waits for a number of nanoseconds.</summary>
        public static Task WaitAsync(long leftNs)
        {
            if (leftNs <= 0)
            {
                return Task.CompletedTask;
            }
            // Delays are whole milliseconds. Rounded up, because a delay that ends too early needs
            // a second one.
            return Task.Delay(TimeSpan.FromMilliseconds(leftNs / MillisecondNs + 1));
        }

        /// <summary>Exits with status 1 and the first line of the error's message.</summary>
        public static void Exit(string before, Exception error)
        {
            // The outer exception of a failed connection hides the cause.
            var cause = error.GetBaseException();
            var lines = cause.Message.Trim().Split('\n');
            var reason = lines[0].Trim() == "" ? cause.GetType().Name : lines[0].Trim();
            Console.Error.WriteLine($"{before}: {reason}");
            Environment.Exit(1);
        }
    }
}
