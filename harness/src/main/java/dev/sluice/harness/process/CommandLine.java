package dev.sluice.harness.process;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The command line that a person gave this process, or the one that started it. */
public final class CommandLine {
  private static final String PROPERTY = "sluice.command";
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_./:=,@%+-]+");

  private CommandLine() {}

  /** Remembers the arguments of this process, unless its parent has named its own command line. */
  public static void remember(List<String> given) {
    if (System.getProperty(PROPERTY) == null) {
      System.setProperty(PROPERTY, line(given));
    }
  }

  public static @Nullable String known() {
    return System.getProperty(PROPERTY);
  }

  /** JVM options by which a child names this process's command line as its own. */
  public static List<String> options() {
    String known = known();
    return known == null ? List.of() : List.of("-D" + PROPERTY + "=" + known);
  }

  static String line(List<String> arguments) {
    return Stream.concat(Stream.of("./sluice"), arguments.stream().map(CommandLine::quoted))
        .collect(Collectors.joining(" "));
  }

  private static String quoted(String argument) {
    return PLAIN.matcher(argument).matches()
        ? argument
        : "'" + argument.replace("'", "'\\''") + "'";
  }
}
