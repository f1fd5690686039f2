package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A disk of a few bytes, in memory. A person who may not mount one has the test skipped. */
record SmallDisk(Path folder) implements AutoCloseable {
  /** Mounts one on a folder that it makes. */
  static SmallDisk mount(Path folder, long bytes) throws Exception {
    Files.createDirectory(folder);
    assumeTrue(
        call("mount", "-t", "tmpfs", "-o", "size=" + bytes, "none", folder) == 0,
        "needs a right to mount");
    return new SmallDisk(folder);
  }

  /** Gives it another size. */
  void resize(long bytes) throws Exception {
    assertThat(call("mount", "-o", "remount,size=" + bytes, folder)).isZero();
  }

  @Override
  public void close() throws Exception {
    assertThat(call("umount", folder)).isZero();
  }

  private static int call(Object... arguments) throws Exception {
    List<String> command = Stream.of(arguments).map(Object::toString).toList();
    return new ProcessBuilder(command).start().waitFor();
  }
}
