package dev.sluice.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The experiments that come with Sluice. */
final class ShippedExperiments {
  private static final Path CONFIGS = Path.of("../configs");

  /** Files without arrivals, and folders of other files. */
  private static final Set<String> OTHERS =
      Set.of("profile.yaml", "layers", "league", "sweeps", "workflows");

  private ShippedExperiments() {}

  /** Returns their files, by name. */
  static List<Path> files() throws IOException {
    try (Stream<Path> all = Files.walk(CONFIGS, 2)) {
      return all.filter(file -> file.toString().endsWith(".yaml"))
          .filter(file -> !OTHERS.contains(file.getFileName().toString()))
          .filter(file -> !OTHERS.contains(file.getParent().getFileName().toString()))
          .sorted()
          .toList();
    }
  }
}
