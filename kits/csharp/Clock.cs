// The clock, waiting by it, and how a program ends that cannot go on.

using System;
using System.Diagnostics;
using System.Threading.Tasks;

namespace Autostrada.Kit
{
    public static class Clock
    {
        public const long SecondNs = 1000000000;
        const long MillisecondNs = 1000000;

        /// <summary>Returns the instant in nanoseconds, of CLOCK_MONOTONIC.</summary>
        public static long NowNs()
        {
            return Stopwatch.GetTimestamp() * (SecondNs / Stopwatch.Frequency);
        }

        /// <summary>Waits for so many nanoseconds.</summary>
        public static Task WaitAsync(long leftNs)
        {
            if (leftNs <= 0)
            {
                return Task.CompletedTask;
            }
            // Delays have whole milliseconds. Rounded up: one that ends too early would wait twice.
            return Task.Delay(TimeSpan.FromMilliseconds(leftNs / MillisecondNs + 1));
        }

        /// <summary>Exits at once with a reason, of which the first line is printed.</summary>
        public static void Exit(string before, Exception error)
        {
            // What a library says of a failed connection is only the last of the causes.
            var cause = error.GetBaseException();
            var lines = cause.Message.Trim().Split('\n');
            var reason = lines[0].Trim() == "" ? cause.GetType().Name : lines[0].Trim();
            Console.Error.WriteLine($"{before}: {reason}");
            Environment.Exit(1);
        }
    }
}
