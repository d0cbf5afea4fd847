// Loads every class of a program so that the JVM archives them when it exits: a program with many
// classes then starts faster. See -XX:ArchiveClassesAtExit.

package autostrada.kit;

import java.io.File;
import java.io.IOException;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;

public final class Preload {
    public static void main(String[] arguments) throws IOException {
        for (String path : System.getProperty("java.class.path").split(File.pathSeparator)) {
            try (JarFile jar = new JarFile(path)) {
                jar.stream().map(ZipEntry::getName).filter(name -> name.endsWith(".class")).forEach(Preload::load);
            }
        }
    }

    private static void load(String file) {
        String name = file.substring(0, file.length() - ".class".length()).replace('/', '.');
        try {
            boolean isInitialised = false;
            Class.forName(name, isInitialised, Preload.class.getClassLoader());
        } catch (ClassNotFoundException | LinkageError error) {
            // The class is for another version of Java, or needs a library that is not installed.
        }
    }
}
