package dev.sluice.harness.machine;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * One reading of the kernel's counters. Two of them tell how busy this machine was with others.
 *
 * @param busyTicks processor time of all processes, without idle, waiting and steal
 * @param stealTicks processor time that the hypervisor gave to other machines
 * @param allTicks all processor time, including idle
 * @param ownNs processor time of this process
 * @param atNs monotonic time of the reading
 */
public record HostLoad(long busyTicks, long stealTicks, long allTicks, long ownNs, long atNs) {
  private static final Path STAT = Path.of("/proc/stat");
  private static final Path CPU_INFO = Path.of("/proc/cpuinfo");
  private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");
  private static final int IDLE = 3;
  private static final int IO_WAIT = 4;
  private static final int STEAL = 7;

  /** Reads the counters; empty where there are none. */
  public static Optional<HostLoad> read() throws IOException {
    if (!Files.isReadable(STAT)) {
      return Optional.empty();
    }
    String first = Files.readAllLines(STAT).get(0).trim();
    long[] ticks =
        Stream.of(first.split("\\s+", -1))
            .skip(1)
            .limit(STEAL + 1)
            .mapToLong(Long::parseLong)
            .toArray();
    long all = LongStream.of(ticks).sum();
    long steal = ticks[STEAL];
    long idle = ticks[IDLE] + ticks[IO_WAIT];
    var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    return Optional.of(
        new HostLoad(
            all - idle - steal,
            steal,
            all,
            system.getProcessCpuTime(),
            MachineClock.monotonicNs()));
  }

  public static Optional<String> processorName() throws IOException {
    if (!Files.isReadable(CPU_INFO)) {
      return Optional.empty();
    }
    try (var lines = Files.lines(CPU_INFO)) {
      return lines
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).trim())
          .findFirst();
    }
  }

  public static Optional<String> hostName() throws IOException {
    return Files.isReadable(HOST_NAME)
        ? Optional.of(Files.readString(HOST_NAME).strip()).filter(name -> !name.isEmpty())
        : Optional.empty();
  }

  /** Memory that this process may use, bytes: the machine's, or its container's if that is less. */
  public static long memoryBytes() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getTotalMemorySize();
  }

  /** The machine in words: its processors' name and number, its system, and the Java release. */
  public static String machine() throws IOException {
    return processorName().orElse("unknown processor")
        + ", "
        + Runtime.getRuntime().availableProcessors()
        + " processors, "
        + System.getProperty("os.name")
        + " "
        + System.getProperty("os.arch")
        + ", Java "
        + Runtime.version().feature();
  }

  /** Share, in [0, 1], of the time since an earlier reading that went to other processes. */
  public double foreignShareSince(HostLoad earlier, int processors) {
    double busy = shareOf(busyTicks - earlier.busyTicks, allTicks - earlier.allTicks);
    double own = (ownNs - earlier.ownNs) / ((double) (atNs - earlier.atNs) * processors);
    return Math.max(0, busy - own);
  }

  /** Share, in [0, 1], of the time since an earlier reading that the hypervisor withheld. */
  public double stealShareSince(HostLoad earlier) {
    return shareOf(stealTicks - earlier.stealTicks, allTicks - earlier.allTicks);
  }

  private static double shareOf(long part, long all) {
    return all <= 0 ? 0 : (double) part / all;
  }
}
