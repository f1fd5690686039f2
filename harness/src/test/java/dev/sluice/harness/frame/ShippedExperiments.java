package dev.sluice.harness.frame;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The files of experiments that come with Sluice, those of profiles among them. */
public final class ShippedExperiments {
  private static final Path ROOT = Path.of("..");

  private ShippedExperiments() {}

  public static List<Path> files() throws IOException {
    List<Path> files = new ArrayList<>();
    for (String folder : List.of("configs", "configs/policies")) {
      try (Stream<Path> in = Files.list(ROOT.resolve(folder))) {
        in.filter(file -> file.toString().endsWith(".yaml")).sorted().forEach(files::add);
      }
    }
    return files;
  }
}
