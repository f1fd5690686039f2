package dev.sluice.harness.frame;

import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.experiment.LoadShape;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.experiment.Replay;
import dev.sluice.contract.file.QuotedText;
import dev.sluice.contract.file.Sha256;
import dev.sluice.contract.file.UserMistakeException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Files that an experiment names: tables, recordings, and models. */
public final class ExperimentFiles {
  private ExperimentFiles() {}

  public record Named(String named, Path path) {
    /** SHA-256 of the file, in hex, or of a folder's names and digests; null: there is neither. */
    public @Nullable String digest() throws UserMistakeException {
      try {
        return ExperimentFiles.digest(path);
      } catch (IOException e) {
        throw new UserMistakeException(
            path.toString(),
            "the file cannot be read (" + UserMistakeException.reason(e) + ")",
            "its permissions should be changed",
            e);
      }
    }
  }

  public static Map<String, Named> of(ParsedExperiment parsed) {
    Experiment e = parsed.experiment();
    Map<String, Named> files = new LinkedHashMap<>();
    put(files, parsed, "lanes.latency_table", e.lanes().latencyTable());
    put(files, parsed, "simulation.latency_table", e.simulation().latencyTable());
    if (!Experiment.Simulation.NO_HOPS.equals(e.simulation().hops())) {
      put(files, parsed, "simulation.hops", e.simulation().hops());
    }
    if (e.load().shape() instanceof LoadShape.Rates rates) {
      put(files, parsed, "load.rates", rates.file());
    }
    if (e.load().arrivals() instanceof Replay replay) {
      put(files, parsed, "arrivals.file", replay.file());
    }
    for (var workload : e.jobs().workloads()) {
      var model = workload.model();
      put(files, parsed, "workloads." + workload.name(), model == null ? null : model.path());
    }
    if (e.predictor().enabled()) {
      String model = e.predictor().modelPath();
      Path home = Path.of(System.getProperty("sluice.home", "."));
      files.put("predictor.model_path", new Named(model, home.resolve(model).normalize()));
    }
    return files;
  }

  private static void put(
      Map<String, Named> files, ParsedExperiment parsed, String key, @Nullable String named) {
    if (named != null) {
      files.put(key, new Named(named, parsed.resolve(named)));
    }
  }

  /** Warnings, where a run's config.yaml is run again, about files that have changed since. */
  public static List<String> changed(ParsedExperiment parsed) throws UserMistakeException {
    List<String> warnings = new ArrayList<>();
    if (parsed.recordedDigests().isEmpty()) {
      return warnings;
    }
    for (Map.Entry<String, Named> file : of(parsed).entrySet()) {
      String recorded = parsed.recordedDigests().get(file.getKey());
      if (recorded != null && !recorded.equals(file.getValue().digest())) {
        warnings.add(
            "%s: warning: %s (%s) is not what it was when this run was recorded."
                .formatted(parsed.location(file.getKey()), file.getKey(), file.getValue().path()));
      }
    }
    return warnings;
  }

  /**
   * The lines, below {@code recorded} of a run's config.yaml, by which it can be run where it lies.
   */
  public static String toYaml(ParsedExperiment parsed, Path folder) throws IOException {
    var text = new StringBuilder();
    text.append(
        Environment.line(ExperimentFile.PATHS_FROM, relative(folder, parsed.folder()).toString()));
    Map<String, Named> files = of(parsed);
    text.append("  ").append(ExperimentFile.FILES).append(files.isEmpty() ? ": {}\n" : ":\n");
    for (Map.Entry<String, Named> file : files.entrySet()) {
      String digest = digest(file.getValue().path());
      text.append(
          "    %s: {path: %s, %s: %s}\n"
              .formatted(
                  QuotedText.of(file.getKey()),
                  QuotedText.of(file.getValue().named()),
                  ExperimentFile.DIGEST,
                  digest == null ? "null" : QuotedText.of(digest)));
    }
    return text.toString();
  }

  private static Path relative(Path from, Path to) {
    try {
      return from.toAbsolutePath().normalize().relativize(to.toAbsolutePath().normalize());
    } catch (IllegalArgumentException e) {
      return to.toAbsolutePath(); // on another drive
    }
  }

  private static @Nullable String digest(Path path) throws IOException {
    if (Files.isRegularFile(path)) {
      MessageDigest digest = Sha256.begin();
      try (InputStream in = Files.newInputStream(path);
          var out = new DigestOutputStream(OutputStream.nullOutputStream(), digest)) {
        in.transferTo(out);
      }
      return HexFormat.of().formatHex(digest.digest());
    }
    if (!Files.isDirectory(path)) {
      return null;
    }
    var digests = new StringBuilder();
    try (Stream<Path> inside = Files.list(path)) {
      for (Path file : inside.filter(Files::isRegularFile).sorted().toList()) {
        digests.append(file.getFileName()).append(digest(file));
      }
    }
    return Sha256.hex(digests.toString().getBytes(StandardCharsets.UTF_8));
  }
}
