// Runs the connections of a client side by side, as tasks.

using System;
using System.Linq;
using System.Threading.Tasks;

namespace Autostrada.Kit
{
    public static class Connections
    {
        /// <summary>
        /// Calls a function so many times, at once, and waits for all of its tasks; the first
        /// exception is reported at once, whatever the others do.
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
