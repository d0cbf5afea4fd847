// Loads every class of a program, so that the JVM archives them when it ends: a program with many
// classes then starts sooner. See -XX:ArchiveClassesAtExit.

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

    /** The names of the classes in a jar, without those of other versions of Java. */
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

    /** Loads classes without initialising them; returns how many can be. */
    static int load(List<String> names) {
        int loaded = 0;
        for (String name : names) {
            try {
                Class.forName(name, false, Preload.class.getClassLoader());
                loaded += 1;
            } catch (ClassNotFoundException | LinkageError error) {
                // It is for a library that is not there: nobody will use it either.
                continue;
            }
        }
        return loaded;
    }
}
