package dev.sluice.harness.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One process of one boot of this machine, which no later process can be taken for: a pid is used
 * again, and the wall clock may be set back.
 *
 * @param boot id of the boot, from /proc/sys/kernel/random/boot_id
 * @param startTicks field 22 of /proc/PID/stat: clock ticks from the boot to the process's start
 */
public record ProcessIdentity(String boot, long pid, long startTicks) {
  private static final Path PROC = Path.of("/proc");
  private static final Path BOOT_ID = PROC.resolve("sys/kernel/random/boot_id");

  /** Index of a field of /proc/PID/stat behind the program's name, from 0: the state is first. */
  private static final int STATE = 0;

  private static final int SESSION = 3;
  private static final int START_TICKS = 19;

  /** The state, of which Z and X have ended, and the pid of the session's leader. */
  private record Stat(String state, long session, long startTicks) {
    boolean ended() {
      return state.equals("Z") || state.equals("X");
    }
  }

  public static String presentBoot() throws IOException {
    return Files.readString(BOOT_ID).strip();
  }

  public static ProcessIdentity ofThis() throws IOException {
    long pid = ProcessHandle.current().pid();
    return new ProcessIdentity(
        presentBoot(),
        pid,
        stat(pid).orElseThrow(() -> new IOException("/proc does not show " + pid)).startTicks);
  }

  /** Reads what {@link #toString} wrote; empty: it is no identity. */
  public static Optional<ProcessIdentity> parse(String text) {
    String[] parts = text.strip().split(" ", -1);
    if (parts.length != 3) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new ProcessIdentity(parts[2], Long.parseLong(parts[0]), Long.parseLong(parts[1])));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  /** Tells whether the process runs. A zombie has ended: in a container nobody may reap it. */
  public boolean isAlive(String presentBoot) {
    return boot.equals(presentBoot)
        && stat(pid).filter(s -> s.startTicks == startTicks && !s.ended()).isPresent();
  }

  /** Processes that have not ended and are of a session. */
  public static List<Long> ofSession(long session) throws IOException {
    List<Long> found = new ArrayList<>();
    for (long pid : pids()) {
      if (stat(pid).filter(s -> s.session == session && !s.ended()).isPresent()) {
        found.add(pid);
      }
    }
    return found;
  }

  /** Processes of this user that run and were started with a variable in their environment. */
  public static List<Long> withVariable(String name, String value) throws IOException {
    return withVariable(name, Set.of(value)).getOrDefault(value, List.of());
  }

  /** Processes as {@link #withVariable(String, String)} finds them, by value, in one pass. */
  public static Map<String, List<Long>> withVariable(String name, Set<String> values)
      throws IOException {
    Map<String, List<Long>> found = new HashMap<>();
    for (long pid : pids()) {
      String value = variable(pid, name);
      if (value != null
          && values.contains(value)
          && stat(pid).filter(s -> !s.ended()).isPresent()) {
        found.computeIfAbsent(value, v -> new ArrayList<>()).add(pid);
      }
    }
    return found;
  }

  private static @Nullable String variable(long pid, String name) {
    String environment;
    try {
      byte[] bytes = Files.readAllBytes(PROC.resolve(pid + "/environ"));
      environment = '\0' + new String(bytes, StandardCharsets.UTF_8);
    } catch (IOException e) {
      return null; // it has ended, or is another user's
    }
    String wanted = '\0' + name + '=';
    int from = environment.indexOf(wanted);
    int to = from < 0 ? -1 : environment.indexOf('\0', from + wanted.length());
    return to < 0 ? null : environment.substring(from + wanted.length(), to);
  }

  /** The words of a process's command line; empty: it has ended. */
  public static String commandLine(long pid) {
    try {
      byte[] words = Files.readAllBytes(PROC.resolve(pid + "/cmdline"));
      return new String(words, StandardCharsets.UTF_8).replace('\0', ' ').strip();
    } catch (IOException e) {
      return "";
    }
  }

  private static List<Long> pids() throws IOException {
    try (Stream<Path> entries = Files.list(PROC)) {
      return entries
          .map(entry -> entry.getFileName().toString())
          .filter(name -> name.chars().allMatch(Character::isDigit))
          .map(Long::valueOf)
          .toList();
    }
  }

  private static Optional<Stat> stat(long pid) {
    try {
      String text =
          new String(Files.readAllBytes(PROC.resolve(pid + "/stat")), StandardCharsets.ISO_8859_1);
      String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ", -1);
      return Optional.of(
          new Stat(
              fields[STATE], Long.parseLong(fields[SESSION]), Long.parseLong(fields[START_TICKS])));
    } catch (IOException e) {
      return Optional.empty(); // the process is gone
    }
  }

  @Override
  public String toString() {
    return pid + " " + startTicks + " " + boot;
  }
}
