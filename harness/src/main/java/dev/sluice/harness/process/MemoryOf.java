package dev.sluice.harness.process;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Memory of a Java process of this user. */
public final class MemoryOf {
  private static final Pattern PSS = Pattern.compile("(?m)^Pss:\\s+(\\d+) kB$");
  private static final Pattern RESIDENT = Pattern.compile("(?m)^VmRSS:\\s+(\\d+) kB$");
  private static final Pattern PEAK = Pattern.compile("(?m)^VmHWM:\\s+(\\d+) kB$");

  /** File of the kernel that takes a 5 as the wish to forget the peak. */
  private static final Path FORGET = Path.of("/proc/self/clear_refs");

  private MemoryOf() {}

  /**
   * Bytes of the proportional set, where a shared page counts in part: the plain resident set
   * counts a page of a heap of ZGC of Java 17 three times. Empty if the process has ended, or the
   * system is not Linux.
   *
   * @throws AccessDeniedException if the process is another user's
   */
  public static OptionalLong residentBytes(long pid) throws AccessDeniedException {
    try {
      String rollup = Files.readString(Path.of("/proc", Long.toString(pid), "smaps_rollup"));
      return bytes(PSS, rollup);
    } catch (AccessDeniedException e) {
      throw e;
    } catch (IOException e) {
      // The file of a process that is just ending is there, and can be neither opened nor read.
      return OptionalLong.empty();
    }
  }

  /** True if this system tells a process's peak, and forgets it on demand. */
  public static boolean canForgetPeak() {
    return Files.isWritable(FORGET);
  }

  /** Bytes of this process in memory now, shared pages counted whole; empty where not on Linux. */
  public static OptionalLong residentBytes() throws IOException {
    return ofThisProcess(RESIDENT);
  }

  /** As {@link #residentBytes()}, with a peak that begins anew. */
  public static OptionalLong residentBytesAndForgetPeak() throws IOException {
    if (!Files.exists(FORGET)) {
      return OptionalLong.empty();
    }
    Files.writeString(FORGET, "5");
    return residentBytes();
  }

  /** Most bytes in memory at once since the peak was last forgotten; empty where not on Linux. */
  public static OptionalLong peakBytes() throws IOException {
    return ofThisProcess(PEAK);
  }

  private static OptionalLong ofThisProcess(Pattern line) throws IOException {
    Path status = Path.of("/proc/self/status");
    return Files.exists(status) ? bytes(line, Files.readString(status)) : OptionalLong.empty();
  }

  private static OptionalLong bytes(Pattern line, String text) {
    Matcher matcher = line.matcher(text);
    return matcher.find()
        ? OptionalLong.of(Long.parseLong(matcher.group(1)) * 1024)
        : OptionalLong.empty();
  }
}
