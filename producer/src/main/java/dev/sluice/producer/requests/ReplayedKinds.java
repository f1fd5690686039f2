package dev.sluice.producer.requests;

import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.Experiment.JobClass;
import dev.sluice.contract.experiment.Experiment.WorkloadChoice;
import dev.sluice.contract.experiment.Replay;
import dev.sluice.contract.experiment.Replay.Dropped;
import dev.sluice.contract.experiment.Replay.Mapped;
import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.file.UserMistakeException.Problem;
import dev.sluice.contract.log.RequestKind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Recorded kinds of requests as this experiment has them: names mapped, dropped, or refused where
 * the experiment lacks them.
 */
final class ReplayedKinds {
  private final Experiment experiment;
  private final Replay.Names names;
  private final String file;

  /** Names that requests of the file have, as {@code attribute:name}. */
  private final Set<String> seen = new HashSet<>();

  /** Requests with a name that the experiment lacks, by attribute and name. */
  private final Map<Dropped, Long> unknown = new LinkedHashMap<>();

  private final List<Problem> problems = new ArrayList<>();

  ReplayedKinds(Experiment experiment, Replay.Names names, String file) {
    this.experiment = experiment;
    this.names = names;
    this.file = file;
  }

  /**
   * Returns each kind that is not dropped, as the experiment has it.
   *
   * @throws UserMistakeException with every name that the experiment lacks, and how often
   */
  Map<RequestKind, RequestKind> of(Map<RequestKind, Long> counts) throws UserMistakeException {
    for (Mapped mapped : names.map()) {
      if (!known(mapped.attribute()).contains(mapped.to())) {
        problems.add(
            new Problem(
                "arrivals.map",
                "%s (%s) stands for (%s) here, which this experiment lacks"
                    .formatted(mapped.attribute(), mapped.from(), mapped.to()),
                NearestName.advice(
                    mapped.to(), known(mapped.attribute()), plural(mapped.attribute()))));
      }
    }
    Map<RequestKind, RequestKind> here = new LinkedHashMap<>();
    counts.forEach(
        (kind, count) -> {
          if (!isDropped(kind)) {
            here.put(kind, here(kind, count));
          }
        });
    unknown.forEach((name, count) -> problems.add(refusal(name, count)));
    UserMistakeException.throwIfAny(problems);
    return here;
  }

  /** Returns a line for each name that is mapped or dropped and that no request has. */
  List<String> unused() {
    List<String> unused = new ArrayList<>();
    names.map().stream()
        .filter(m -> !seen.contains(m.attribute() + ":" + m.from()))
        .forEach(m -> unused.add("map (" + m + ") applies to no request"));
    names.drop().stream()
        .filter(d -> !seen.contains(d.toString()))
        .forEach(d -> unused.add("drop (" + d + ") applies to no request"));
    return unused;
  }

  private boolean isDropped(RequestKind kind) {
    boolean dropped = isDropped("class", kind.classType());
    dropped |= isDropped("workload", kind.workload()); // each is noted
    dropped |= isDropped("backend", kind.backend());
    dropped |= isDropped("precision", kind.precision());
    return dropped;
  }

  private RequestKind here(RequestKind kind, long count) {
    var here =
        new RequestKind(
            name("class", kind.classType(), count),
            name("workload", kind.workload(), count),
            name("backend", kind.backend(), count),
            name("precision", kind.precision(), count),
            kind.samples(),
            names.ownPromises() ? 0 : kind.sloNs());
    checkBackend(here, count);
    checkTokens(here, count);
    return here;
  }

  private boolean isDropped(String attribute, @Nullable String name) {
    if (name == null) {
      return false;
    }
    var named = new Dropped(attribute, name);
    seen.add(named.toString());
    return names.drop().contains(named);
  }

  private @Nullable String name(String attribute, @Nullable String recorded, long count) {
    if (recorded == null) {
      return null;
    }
    for (Mapped mapped : names.map()) {
      if (mapped.attribute().equals(attribute) && mapped.from().equals(recorded)) {
        return mapped.to();
      }
    }
    if (!known(attribute).contains(recorded)) {
      unknown.merge(new Dropped(attribute, recorded), count, Long::sum);
    }
    return recorded;
  }

  private Problem refusal(Dropped name, long count) {
    List<String> known = known(name.attribute());
    String nearest =
        NearestName.of(name.name(), known).orElse(known.isEmpty() ? "NAME" : known.get(0));
    return new Problem(
        file,
        String.format(
            Locale.ROOT,
            "%,d request%s of %s (%s), which this experiment lacks",
            count,
            count == 1 ? " is" : "s are",
            name.attribute(),
            name.name()),
        "--map %s=%s sends them as such, or --drop %s leaves them out. Known %s: %s"
            .formatted(name, nearest, name, plural(name.attribute()), String.join(", ", known)));
  }

  private void checkBackend(RequestKind kind, long count) {
    WorkloadChoice workload = workload(kind.workload());
    if (workload == null || workload.model() == null || kind.backend() == null) {
      return;
    }
    List<String> can = experiment.backendsOf(workload);
    if (known("backend").contains(kind.backend()) && !can.contains(kind.backend())) {
      problems.add(
          new Problem(
              file,
              String.format(
                  Locale.ROOT,
                  "%,d requests of workload (%s) are for backend (%s), which cannot run its model",
                  count,
                  workload.name(),
                  kind.backend()),
              "--map backend:%s=%s is meant".formatted(kind.backend(), can.get(0))));
    }
  }

  /** A job that can never fit would never run. */
  private void checkTokens(RequestKind kind, long count) {
    var resources = experiment.resources();
    if (kind.samples() == 0 || !resources.enabled() || resources.cpuFallback()) {
      return;
    }
    String precision =
        kind.precision() != null ? kind.precision() : experiment.jobs().precisionModes().get(0);
    for (WorkloadChoice workload : experiment.jobs().workloads()) {
      boolean meant = kind.workload() == null || kind.workload().equals(workload.name());
      long tokens = Experiment.tokens(workload.tokens(), precision, kind.samples());
      if (meant && tokens > resources.totalTokens()) {
        problems.add(
            new Problem(
                file,
                String.format(
                    Locale.ROOT,
                    "%,d requests of %s with %d samples cost %d tokens each, more than"
                        + " resources.total_tokens (%d)",
                    count,
                    workload.name(),
                    kind.samples(),
                    tokens,
                    resources.totalTokens()),
                "resources.total_tokens should be at least "
                    + tokens
                    + ", or resources.cpu_fallback: true lets them run alone outside the budget"));
      }
    }
  }

  private @Nullable WorkloadChoice workload(@Nullable String name) {
    return experiment.jobs().workloads().stream()
        .filter(w -> w.name().equals(name))
        .findFirst()
        .orElse(null);
  }

  private List<String> known(String attribute) {
    return known(experiment, attribute);
  }

  static List<String> known(Experiment experiment, String attribute) {
    return switch (attribute) {
      case "class" -> experiment.jobs().classes().stream().map(JobClass::name).toList();
      case "workload" -> experiment.jobs().workloads().stream().map(WorkloadChoice::name).toList();
      case "backend" ->
          Stream.concat(
                  experiment.jobs().backendsEnabled().stream(),
                  experiment.jobs().workloads().stream()
                      .flatMap(w -> experiment.backendsOf(w).stream()))
              .distinct()
              .toList();
      case "precision" -> experiment.jobs().precisionModes();
      default -> throw new IllegalArgumentException(attribute + " is no name");
    };
  }

  private static String plural(String attribute) {
    return attribute.equals("class") ? "classes" : attribute + "s";
  }
}
