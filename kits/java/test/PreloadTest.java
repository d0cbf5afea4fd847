// Tests which classes of a jar are loaded.

package autostrada.kit;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;

final class PreloadTest {
    private PreloadTest() {}

    static void theClassesOfAJarAreNamed() throws IOException {
        File file = File.createTempFile("preload", ".jar");
        try {
            try (JarOutputStream jar = new JarOutputStream(new FileOutputStream(file))) {
                for (String name : List.of(
                        "a/B.class", "a/B$C.class", "a/b.conf", "module-info.class",
                        "META-INF/versions/21/a/B.class")) {
                    jar.putNextEntry(new JarEntry(name));
                }
            }
            Check.equal(List.of("a.B", "a.B$C"), Preload.classesOf(file));
        } finally {
            file.delete();
        }
    }

    static void whatCannotBeLoadedIsLeftOut() {
        Check.equal(1, Preload.load(List.of("autostrada.kit.Line", "autostrada.kit.None")));
    }
}
