package dev.sluice.sweep.grid;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.sweep.grid.SweepFolder.BuildDigest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Digests of class paths with jars of Sluice's, folders of classes and libraries. */
final class BuildDigestTest {
  private static final String VERSION = "1.0-SNAPSHOT";

  @TempDir private Path folder;

  @BeforeEach
  void makeClassPath() throws IOException {
    jar("core-1.0-SNAPSHOT.jar", "dev/Core.class", "code", 1_000_000_000_000L);
    jar("library-7.jar", "org/Library.class", "code", 0);
    Files.createDirectories(folder.resolve("classes/dev"));
    Files.writeString(folder.resolve("classes/dev/More.class"), "more");
  }

  private void jar(String name, String entry, String content, long atMs) throws IOException {
    try (var zip = new ZipOutputStream(Files.newOutputStream(folder.resolve(name)))) {
      var written = new ZipEntry(entry);
      written.setTime(atMs);
      zip.putNextEntry(written);
      zip.write(content.getBytes(StandardCharsets.UTF_8));
      zip.closeEntry();
    }
  }

  private String digest() throws IOException {
    return BuildDigest.of(
        List.of(
            folder.resolve("core-1.0-SNAPSHOT.jar"),
            folder.resolve("library-7.jar"),
            folder.resolve("classes")),
        VERSION);
  }

  @Test
  void isThatOfAnotherBuild_ofEqualSources() throws IOException {
    String before = digest();
    jar("core-1.0-SNAPSHOT.jar", "dev/Core.class", "code", 1_100_000_000_000L);
    assertThat(digest()).isEqualTo(before);
  }

  @Test
  void isAnother_onceAClassOfSluiceIs_thoughTheVersionIsEqual() throws IOException {
    String before = digest();
    jar("core-1.0-SNAPSHOT.jar", "dev/Core.class", "edoc", 1_000_000_000_000L);
    String inJar = digest();
    Files.writeString(folder.resolve("classes/dev/More.class"), "erom");
    assertThat(List.of(before, inJar, digest())).doesNotHaveDuplicates();
  }

  @Test
  void isAnother_onceALibraryHasAnotherLength() throws IOException {
    String before = digest();
    jar("library-7.jar", "org/Library.class", "more code than before", 0);
    assertThat(digest()).isNotEqualTo(before);
  }

  @Test
  void ofThisProcess_isOneValue() throws IOException {
    assertThat(BuildDigest.current()).hasSize(64).isEqualTo(BuildDigest.current());
  }
}
