// Prints the version of .NET, which its WebSockets are a part of.

using System;
using System.IO;

static class PrintVersion
{
    static void Main()
    {
        // One that is installed is linked, one that is borrowed lies here.
        var isLinked = new DirectoryInfo("runtime").Attributes.HasFlag(FileAttributes.ReparsePoint);
        Console.WriteLine(Environment.Version + (isLinked ? "" : " (borrowed runtime)"));
    }
}
