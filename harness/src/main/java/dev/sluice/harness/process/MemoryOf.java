package dev.sluice.harness.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Memory of a Java process of this user. */
public final class MemoryOf {
  private static final Pattern PSS = Pattern.compile("(?m)^Pss:\\s+(\\d+) kB$");

  /** Pattern of a class histogram's last line: Total, objects, bytes. */
  private static final Pattern TOTAL = Pattern.compile("(?m)^Total\\s+\\d+\\s+(\\d+)\\s*$");

  private MemoryOf() {}

  /**
   * Bytes of the proportional set: the pages that the process has in memory, with a shared page
   * counted in part. The plain resident set counts a page of the heap as often as it is mapped,
   * which with ZGC of Java 17 is three times.
   *
   * @return empty where the system is not Linux, which alone reports it
   */
  public static OptionalLong residentBytes(long pid) throws IOException {
    try {
      String rollup = Files.readString(Path.of("/proc", Long.toString(pid), "smaps_rollup"));
      Matcher pss = PSS.matcher(rollup);
      return pss.find()
          ? OptionalLong.of(Long.parseLong(pss.group(1)) * 1024)
          : OptionalLong.empty();
    } catch (NoSuchFileException e) {
      return OptionalLong.empty();
    }
  }

  /**
   * Bytes that a full collection leaves on the heap.
   *
   * @return empty if the process has ended, or this Java has no jcmd
   */
  public static OptionalLong liveHeapBytes(long pid) throws IOException, InterruptedException {
    Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
    if (!Files.isExecutable(jcmd)) {
      return OptionalLong.empty();
    }
    Process asking =
        Launch.of(jcmd.toString(), Long.toString(pid), "GC.class_histogram")
            .errorsToOutput()
            .start();
    String histogram = new String(asking.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    asking.waitFor();
    Matcher total = TOTAL.matcher(histogram);
    return total.find() ? OptionalLong.of(Long.parseLong(total.group(1))) : OptionalLong.empty();
  }
}
