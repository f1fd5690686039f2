package dev.sluice.harness.process;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Command lines of child processes with the Java, class path and JVM options of this one. */
public final class ChildJvm {
  /** The main class of the command line, by name: the harness does not see the commands. */
  public static final String SLUICE = "dev.sluice.cli.Sluice";

  /**
   * JVM options of a process that works for another: a small heap needs no other collector, and the
   * process has done its work before the optimizing compiler pays.
   */
  public static final List<String> SMALL = List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

  /**
   * Folder of the built libraries, for a process whose own class path holds more than Sluice, such
   * as a test's; null: children have the class path of this process.
   */
  private static final @Nullable String BUILT = System.getProperty("sluice.libraries");

  private ChildJvm() {}

  /** Options that load classes from the archive which the launcher keeps beside the libraries. */
  private static List<String> archiveOptions(Path libraries) {
    String archive = "classes-" + System.getProperty("java.runtime.version") + ".jsa";
    return List.of(
        "-XX:SharedArchiveFile=" + libraries.resolve(archive),
        "-Xlog:cds=off",
        "-Xlog:cds+dynamic=off");
  }

  /**
   * A child with this process's own JVM options, less its agents, and options that override them.
   */
  public static List<String> likeThis(List<String> options, String main, List<String> arguments) {
    List<String> all = new ArrayList<>(ownOptions());
    all.addAll(options);
    return of(all, main, arguments);
  }

  /**
   * JVM options of a whole heap from the start, so that later growth of memory is not the heap's.
   */
  public static List<String> wholeHeap(int mb) {
    return List.of("-Xms" + mb + "m", "-Xmx" + mb + "m", "-XX:+AlwaysPreTouch");
  }

  /**
   * JVM options of a {@link #SMALL} process whose memory is measured while it computes in an
   * engine.
   */
  public static List<String> probe(int heapMb) {
    List<String> options = new ArrayList<>(SMALL);
    options.addAll(wholeHeap(heapMb));
    options.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-Djava.awt.headless=true"));
    return options;
  }

  /**
   * A command of Sluice that measures latencies: with the launcher's options for these, whatever
   * this process was started with.
   */
  public static List<String> live(List<String> arguments) {
    String live = System.getProperty("sluice.live", "");
    if (live.isEmpty()) {
      return sluice(List.of(), arguments); // not by the launcher: a test's process is as its child
    }
    List<String> options = new ArrayList<>(List.of("-XX:-UseParallelGC")); // two would clash
    options.addAll(List.of(live.split(" ")));
    return sluice(options, arguments);
  }

  public static List<String> ownOptions() {
    return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(option -> !option.startsWith("-agent") && !option.startsWith("-javaagent"))
        .toList();
  }

  /** Those of {@link #ownOptions} that do not shape the machine: properties, logs, classes. */
  public static List<String> ownPlainOptions() {
    return ownOptions().stream()
        .filter(o -> o.startsWith("-D") || o.startsWith("-Xlog") || o.startsWith("-XX:Shared"))
        .toList();
  }

  /** A child as of {@link #likeThis} that runs one of Sluice's commands. */
  public static List<String> sluice(List<String> options, List<String> arguments) {
    return likeThis(options, SLUICE, arguments);
  }

  /** The command line of a child with these JVM options alone. */
  public static List<String> of(List<String> options, String main, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(BUILT == null ? List.of() : archiveOptions(Path.of(BUILT)));
    command.addAll(options);
    command.add("-cp");
    command.add(BUILT == null ? System.getProperty("java.class.path") : BUILT + "/*");
    command.add(main);
    command.addAll(arguments);
    return command;
  }

  /** The class path of children, which is that of Sluice: its folders and files. */
  public static List<Path> classPath() throws IOException {
    if (BUILT != null) {
      try (Stream<Path> files = Files.list(Path.of(BUILT))) {
        return files.filter(file -> file.toString().endsWith(".jar")).sorted().toList();
      }
    }
    return Stream.of(System.getProperty("java.class.path", "").split(File.pathSeparator, -1))
        .filter(entry -> !entry.isEmpty())
        .map(Path::of)
        .filter(Files::exists)
        .toList();
  }

  public static String printed(
      List<String> options, String main, List<String> arguments, String what)
      throws IOException, InterruptedException {
    return Launch.of(of(options, main, arguments))
        .errors(ProcessBuilder.Redirect.INHERIT)
        .printed(what);
  }
}
