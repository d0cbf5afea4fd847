// Runs the connections of a client concurrently, as tasks.

using System;
using System.Linq;
using System.Threading.Tasks;

namespace Autostrada.Kit
{
    public static class Connections
    {
        /// <summary>
        /// Starts a task per connection and waits for all of them. The first exception is reported
        /// at once, while the other tasks are still running.
        /// </summary>
        public static void RunAll(long connections, Func<Task> connect, Action<Exception> fail)
        {
            var tasks = Enumerable.Range(0, (int)connections).Select(async _ =>
            {
                try
                {
                    await connect();
                }
                catch (Exception error)
                {
                    fail(error);
                }
            });
            Task.WaitAll(tasks.ToArray());
        }
    }
}
