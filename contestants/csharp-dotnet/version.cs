// Prints the version of .NET, which includes its WebSockets.

using System;
using System.IO;

static class PrintVersion
{
    static void Main()
    {
        // An installed runtime is linked; one from npm packages is in this folder.
        var isLinked = new DirectoryInfo("runtime").Attributes.HasFlag(FileAttributes.ReparsePoint);
        Console.WriteLine(Environment.Version + (isLinked ? "" : " (borrowed runtime)"));
    }
}
