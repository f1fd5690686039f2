package dev.sluice.contract.experiment;

import dev.sluice.contract.experiment.Experiment.Drift;
import dev.sluice.contract.experiment.Experiment.Lanes;
import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.Numbers;
import dev.sluice.contract.file.Problems;
import dev.sluice.contract.file.Range;
import dev.sluice.contract.file.Section;
import dev.sluice.contract.file.Value;
import dev.sluice.contract.file.Value.Mapping;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The key {@code lanes}: lanes, their device, and the service times of emulated ones. */
final class LanesReader {
  private static final List<String> DEVICES = List.of("auto", "cpu", "cuda", "cuda:0");
  private static final Pattern DEVICE = Pattern.compile("auto|cpu|cuda|cuda:\\d{1,3}");

  private final Problems problems;

  LanesReader(Problems problems) {
    this.problems = problems;
  }

  /**
   * Reads the section {@code lanes}.
   *
   * @param tableIsRead whether even real lanes need the latency table
   */
  Lanes read(Section section, boolean tableIsRead) {
    var read =
        new Lanes(
            section.flag("enabled", true),
            section.whole("num_lanes", 2, 1, 1024),
            section.whole("threads", 1, 1, 256),
            section.text(
                "device",
                "auto",
                DEVICE,
                "is unknown",
                device -> NearestName.advice(device, DEVICES, "devices")),
            section.oneOf("kind", "real", List.of("real", "emulated"), "kinds of lanes"),
            section.textOrNull("latency_table"),
            section.whole("heartbeat_ms", 200, 10, 60_000),
            section.whole("ahead", 0, 0, 1),
            section.whole("lease_ms", 2000, 20, 86_400_000),
            section.whole("max_attempts", 3, 1, 1000),
            section.number("speed", 1, Range.within(0.001, 1000)),
            section.list("drift", List.of(), true, value -> drift(section, value)),
            section.numberOrNone("memory_mb", Range.within(1e-3, 1e9)));
    checkDrift(section, read);
    checkLease(section, read);
    checkMemory(section, read);
    warnOfNoEffect(section, read, tableIsRead);
    section.end();
    return read;
  }

  private void checkMemory(Section section, Lanes lanes) {
    if (lanes.memoryMb() != null && lanes.ahead() > 0) {
      problems.error(
          section.place("memory_mb"),
          "lanes.memory_mb ("
              + Numbers.text(lanes.memoryMb())
              + ") does not go together with lanes.ahead ("
              + lanes.ahead()
              + "): models are loaded for the batch that runs next",
          "you meant lanes.ahead: 0");
    }
  }

  private void checkLease(Section section, Lanes lanes) {
    if (lanes.leaseMs() < 2 * lanes.heartbeatMs()) {
      problems.error(
          section.place(section.has("lease_ms") ? "lease_ms" : "heartbeat_ms"),
          "lanes.lease_ms ("
              + lanes.leaseMs()
              + ") must be at least twice lanes.heartbeat_ms ("
              + lanes.heartbeatMs()
              + "): a lane would be lost with the first report that is late",
          "you meant lease_ms: " + 10 * lanes.heartbeatMs());
    }
  }

  private void warnOfNoEffect(Section section, Lanes lanes, boolean tableIsRead) {
    if (lanes.device().startsWith("cuda") && lanes.emulated()) {
      problems.warn(
          section.place("device"),
          "lanes.device (" + lanes.device() + ") has no effect on emulated lanes");
    }
    if (lanes.latencyTable() != null && !lanes.emulated() && !tableIsRead) {
      problems.warn(
          section.place("latency_table"),
          "lanes.latency_table (" + lanes.latencyTable() + ") has no effect on real lanes");
    }
  }

  private @Nullable Drift drift(Section lanes, Value value) {
    if (!(value instanceof Mapping mapping)) {
      problems.error(
          value.place(),
          "an entry of lanes.drift must be a mapping",
          "you meant {at_seconds: 60, factor: 1.5}");
      return null;
    }
    var section = lanes.item("drift", mapping);
    var read =
        new Drift(
            section.required("at_seconds", Ranges.SECONDS, "60"),
            section.required("factor", Range.within(0.01, 100), "1.5"),
            section.number("over_seconds", 0, Ranges.SECONDS));
    section.end();
    return read;
  }

  private void checkDrift(Section section, Lanes lanes) {
    if (!lanes.emulated() && (lanes.speed() != 1 || !lanes.drift().isEmpty())) {
      String key = lanes.speed() != 1 ? "speed" : "drift";
      problems.error(
          section.place(key),
          "lanes." + key + " works on emulated lanes only, and these lanes are real",
          "you meant lanes.kind: emulated");
    }
    for (int i = 1; i < lanes.drift().size(); i++) {
      Drift before = lanes.drift().get(i - 1);
      double endsAtSeconds = before.atSeconds() + before.overSeconds();
      if (lanes.drift().get(i).atSeconds() < endsAtSeconds) {
        problems.error(
            section.place("drift"),
            "lanes.drift (at_seconds "
                + Numbers.text(lanes.drift().get(i).atSeconds())
                + ") begins before the change above it ends, at "
                + Numbers.text(endsAtSeconds),
            "the entries should be ordered by time, each after the end of the one before");
      }
    }
  }
}
