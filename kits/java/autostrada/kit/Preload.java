// Loads every class of a program so that the JVM archives them when it exits: a program with many
// classes then starts faster. See -XX:ArchiveClassesAtExit.

package autostrada.kit;

import java.io.File;
import java.io.IOException;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;

public final class Preload {
    private Preload() {}

    public static void main(String[] arguments) throws IOException {
        String[] path = System.getProperty("java.class.path").split(File.pathSeparator);
        for (String jar : path) {
            load(classesOf(new File(jar)));
        }
    }

    /** Returns the names of the classes in a jar, without those for specific versions of Java. */
    static List<String> classesOf(File file) throws IOException {
        try (JarFile jar = new JarFile(file)) {
            Stream<String> names = jar.stream().map(ZipEntry::getName);
            return names.filter(name -> name.endsWith(".class") && !name.startsWith("META-INF/"))
                    .map(name -> name.substring(0, name.length() - ".class".length()))
                    .filter(name -> !name.equals("module-info"))
                    .map(name -> name.replace('/', '.'))
                    .toList();
        }
    }

    /** Loads classes without initialising them; returns the number of loaded classes. */
    static int load(List<String> names) {
        int loaded = 0;
        for (String name : names) {
            try {
                Class.forName(name, false, Preload.class.getClassLoader());
                loaded += 1;
            } catch (ClassNotFoundException | LinkageError error) {
                // The class needs a library that is not installed, so it is never used.
                continue;
            }
        }
        return loaded;
    }
}
