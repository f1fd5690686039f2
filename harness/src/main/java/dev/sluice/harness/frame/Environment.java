package dev.sluice.harness.frame;

import dev.sluice.analytics.row.Origin;
import dev.sluice.analytics.row.Summary;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.ResolvedConfig;
import dev.sluice.contract.file.QuotedText;
import dev.sluice.executor.dispatch.LaneSource;
import dev.sluice.executor.model.Engines;
import dev.sluice.executor.network.Workloads.WorkloadInfo;
import dev.sluice.harness.machine.HostLoad;
import dev.sluice.harness.process.CommandLine;
import dev.sluice.harness.process.Launch;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.utils.AppInfoParser;
import org.jspecify.annotations.Nullable;

/**
 * Machine, versions and workloads that a run had, for its folder.
 *
 * @param notes lines that every output shows first
 * @param recorded further values for config.yaml, by key
 * @param begunAtEpochMs start of this process, if all roles ran in it; null: each role had its own
 * @param origin machine, command and commit
 */
public record Environment(
    List<String> notes,
    Map<String, String> versions,
    Map<String, WorkloadInfo> workloads,
    Map<String, Object> recorded,
    @Nullable Long begunAtEpochMs,
    Origin origin) {

  private static final String SIMULATED = "simulated";

  /** Commits by working copy: what this process loaded is of the commit that it saw first. */
  private static final Map<Path, Optional<String>> COMMITS = new ConcurrentHashMap<>();

  /** Share of the processors above which other processes are named in every output. */
  public static final double NOTED_SHARE = 0.1;

  public static Environment of(Experiment experiment, LaneSource lanes, Optional<HostLoad> before)
      throws IOException {
    Map<String, Object> recorded = lanes(experiment);
    lanes.devices().ifPresent(devices -> recorded.put("devices", devices.toString()));
    List<String> notes = new ArrayList<>(lanes.notes());
    Optional<HostLoad> after = HostLoad.read();
    if (before.isPresent() && after.isPresent()) {
      int processors = Runtime.getRuntime().availableProcessors();
      double foreign = after.get().foreignShareSince(before.get(), processors);
      double steal = after.get().stealShareSince(before.get());
      recorded.put("foreign_load_share", rounded(foreign));
      recorded.put("cpu_steal_share", rounded(steal));
      if (foreign + steal > NOTED_SHARE) {
        notes.add(
            String.format(
                Locale.ROOT,
                Summary.BUSY_MACHINE + "others took %.0f %% of its processors meanwhile",
                100 * (foreign + steal)));
      }
    }
    return of(
        experiment,
        notes,
        versions(experiment),
        lanes.workloadInfos(),
        recorded,
        ManagementFactory.getRuntimeMXBean().getStartTime());
  }

  /**
   * As analytics knows it where each role has a process of its own: without foreign load, since the
   * other roles may be on other machines, and without engines, since analytics has none.
   */
  public static Environment ofRoles(
      Experiment experiment, LaneSource lanes, Optional<HostLoad> before) throws IOException {
    Map<String, Object> recorded = lanes(experiment);
    recorded.put("roles", "processes");
    Optional<HostLoad> after = HostLoad.read();
    if (before.isPresent() && after.isPresent()) {
      recorded.put("cpu_steal_share", rounded(after.get().stealShareSince(before.get())));
    }
    return of(experiment, lanes.notes(), commonVersions(), lanes.workloadInfos(), recorded, null);
  }

  public static Environment ofSimulation(
      Experiment experiment, List<String> notes, Map<String, WorkloadInfo> workloads)
      throws IOException {
    Map<String, Object> recorded = lanes(experiment);
    recorded.put("lanes", SIMULATED);
    for (int i = 0; i < notes.size(); i++) {
      recorded.put("simulated_by_" + (i + 1), notes.get(i));
    }
    return of(experiment, notes, commonVersions(), workloads, recorded, null);
  }

  private static Environment of(
      Experiment experiment,
      List<String> notes,
      Map<String, String> versions,
      Map<String, WorkloadInfo> workloads,
      Map<String, Object> recorded,
      @Nullable Long begunAtEpochMs)
      throws IOException {
    recorded.put("config_digest", ResolvedConfig.digest(experiment));
    return new Environment(notes, versions, workloads, recorded, begunAtEpochMs, here());
  }

  /** The command, the commit and the machine, as far as they are known. */
  private static Origin here() throws IOException {
    return new Origin(
        CommandLine.known(),
        commit(Path.of(System.getProperty("sluice.home", "."))).orElse(null),
        new Origin.Machine(
            HostLoad.hostName().orElse(null),
            Runtime.getRuntime().availableProcessors(),
            HostLoad.processorName().orElse(null),
            HostLoad.memoryBytes()),
        null,
        null);
  }

  /**
   * The commit of a working copy, with {@code -dirty} where files differ from it, or of a release;
   * empty where the folder is neither, or git does not tell.
   */
  public static Optional<String> commit(Path home) {
    return COMMITS.computeIfAbsent(home, Environment::described);
  }

  private static Optional<String> described(Path home) {
    try {
      if (!Files.exists(home.resolve(".git"))) {
        Path ofRelease = home.resolve("commit");
        return Files.exists(ofRelease)
            ? Optional.of(Files.readString(ofRelease).strip())
            : Optional.empty();
      }
      return Optional.of(
          Launch.of(
                  "git", "-C", home.toString(), "describe", "--always", "--dirty", "--exclude", "*")
              .errors(Redirect.DISCARD)
              .printed("git")
              .strip());
    } catch (IOException e) {
      return Optional.empty(); // no git here, or it does not trust the folder
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  private static double rounded(double share) {
    return Math.round(share * 1e4) / 1e4;
  }

  /** Versions of what takes part where all roles run in one process, by name. */
  public static Map<String, String> versions(Experiment experiment) {
    Map<String, String> versions = commonVersions();
    if (!experiment.lanes().emulated()) {
      versions.putAll(Engines.versions(experiment.jobs().backendsEnabled()));
    }
    return versions;
  }

  /** Versions of what takes part as analytics knows it where it has a process of its own. */
  public static Map<String, String> commonVersions() {
    Map<String, String> versions = new LinkedHashMap<>();
    versions.put("sluice", SluiceVersion.current());
    versions.put("kafka", AppInfoParser.getVersion());
    versions.put("java", Runtime.version().toString());
    versions.put("os", System.getProperty("os.name") + " " + System.getProperty("os.version"));
    versions.put("arch", System.getProperty("os.arch"));
    return versions;
  }

  private static Map<String, Object> lanes(Experiment experiment) {
    Map<String, Object> recorded = new LinkedHashMap<>();
    recorded.put("lanes", experiment.lanes().emulated() ? "emulated" : "real");
    return recorded;
  }

  public String firstLine() {
    return switch (String.valueOf(recorded.get("lanes"))) {
      case "emulated" -> "# emulated lanes: they waited instead of computing\n";
      case SIMULATED -> "# simulated: nothing ran and nothing waited\n";
      default -> "";
    };
  }

  /** The block {@code recorded} of a run's config.yaml, which readers of experiments ignore. */
  public String toYaml(String requestDigest, Summary summary, List<String> deviceKinds) {
    var text = new StringBuilder("recorded:\n");
    text.append(line("schema_version", Origin.SCHEMA_VERSION));
    origin.values().keySet().forEach(key -> text.append(line(key, summary.values().get(key))));
    recorded.forEach((key, value) -> text.append(line(key, value)));
    text.append(line("device_kind", String.join(", ", deviceKinds)));
    text.append(line("request_digest", requestDigest));
    text.append(line("clock_offset_ms_max", summary.figure("clock_offset_ms_max")));
    text.append("  versions:\n");
    versions.forEach((name, version) -> text.append("  ").append(line(name, version)));
    text.append("  workloads:\n");
    workloads.forEach(
        (name, info) ->
            text.append(
                "    %s: {tokens: %s, flops_per_sample: %s, parameters: %s}\n"
                    .formatted(
                        QuotedText.of(name),
                        info.tokens(),
                        known(info.flopsPerSample()),
                        known(info.parameters()))));
    return text.toString();
  }

  /** A size, which is 0 where nobody knows it. */
  private static String known(long size) {
    return size == 0 ? "null" : Long.toString(size);
  }

  static String line(String key, @Nullable Object value) {
    return "  " + key + ": " + (value instanceof String text ? QuotedText.of(text) : value) + "\n";
  }
}
