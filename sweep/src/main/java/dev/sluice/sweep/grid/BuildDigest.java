package dev.sluice.sweep.grid;

import dev.sluice.contract.file.Sha256;
import dev.sluice.harness.frame.SluiceVersion;
import dev.sluice.harness.process.ChildJvm;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.ZipFile;

/**
 * A digest of what Sluice and its children run: two builds of one version differ in it if a class
 * or a resource of Sluice differs, or if a library has another name or length.
 */
final class BuildDigest {
  private static final String METADATA = "META-INF/";

  private BuildDigest() {}

  /**
   * The digest of the class path of Sluice's processes, in hex. Of a jar of Sluice it takes the
   * checksums that the jar lists, so that it costs milliseconds.
   *
   * @throws IOException if the class path cannot be read
   */
  static String current() throws IOException {
    return of(ChildJvm.classPath(), SluiceVersion.current());
  }

  /**
   * The digest of a class path.
   *
   * @param version end of the names of Sluice's own jars
   */
  static String of(List<Path> classPath, String version) throws IOException {
    Map<String, String> contents = new TreeMap<>();
    for (Path entry : classPath) {
      String name = entry.getFileName().toString();
      if (Files.isDirectory(entry)) {
        addFolder(entry, contents);
      } else if (name.endsWith("-" + version + ".jar")) {
        addJar(entry, contents);
      } else {
        contents.put(name, Long.toString(Files.size(entry)));
      }
    }
    return Sha256.hex(contents.toString().getBytes(StandardCharsets.UTF_8));
  }

  private static void addFolder(Path folder, Map<String, String> contents) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        contents.put(folder.relativize(file).toString(), Sha256.hex(Files.readAllBytes(file)));
      }
    }
  }

  private static void addJar(Path jar, Map<String, String> contents) throws IOException {
    try (var zip = new ZipFile(jar.toFile())) {
      zip.stream()
          .filter(entry -> !entry.isDirectory() && !entry.getName().startsWith(METADATA))
          .forEach(entry -> contents.put(entry.getName(), Long.toHexString(entry.getCrc())));
    }
  }
}
