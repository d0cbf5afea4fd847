// Runs the tests of the kit: each public method of each class whose name ends with Tests.

using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Threading.Tasks;
using Autostrada.Kit;

static class Program
{
    static int Main(string[] arguments)
    {
        if (arguments.Length > 0)
        {
            // Started by a test with a wrong environment.
            Client.Run(_ => Task.CompletedTask);
            return 0;
        }
        var failed = 0;
        var classes = Assembly.GetExecutingAssembly().GetTypes()
            .Where(each => each.Name.EndsWith("Tests"));
        var tests = classes.SelectMany(each => each.GetMethods(
            BindingFlags.Public | BindingFlags.Instance | BindingFlags.DeclaredOnly));
        foreach (var test in tests)
        {
            try
            {
                test.Invoke(Activator.CreateInstance(test.DeclaringType), null);
            }
            catch (TargetInvocationException error)
            {
                failed += 1;
                Console.Error.WriteLine($"{test.DeclaringType.Name}.{test.Name}: {error.InnerException}");
            }
        }
        Console.WriteLine($"{tests.Count()} tests, {failed} failed");
        return failed == 0 ? 0 : 1;
    }
}

static class Expect
{
    public static void Equal<T>(T expected, T found, string of = "")
    {
        if (!EqualityComparer<T>.Default.Equals(expected, found))
        {
            throw new Exception($"{of}: expected {expected}, found {found}");
        }
    }

    public static TException Throws<TException>(Action action, string of = "")
        where TException : Exception
    {
        try
        {
            action();
        }
        catch (TException error)
        {
            return error;
        }
        throw new Exception($"{of}: nothing was thrown");
    }
}
