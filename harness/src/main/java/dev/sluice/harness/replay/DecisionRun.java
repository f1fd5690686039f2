package dev.sluice.harness.replay;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.analytics.row.FolderFiles;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.RecordedEntry;
import dev.sluice.contract.log.RecordingHeader;
import dev.sluice.contract.log.RecordingReader;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.Registries;
import dev.sluice.scheduler.replay.DecisionReplay;
import dev.sluice.scheduler.replay.DecisionReplay.Stop;
import dev.sluice.scheduler.replay.Difference;
import dev.sluice.scheduler.replay.ReplaySettings;
import dev.sluice.scheduler.replay.Tally;
import dev.sluice.scheduling.core.SchedulingCore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Makes the decisions of a recorded log again, and prints how they compare with the record.
 *
 * @param subject recording of a log, or folder of a run
 * @param with {@code key=value} of what is asked in place of the recorded; empty: nothing else
 * @param until {@code SHARD/OFFSET} of the fact before which the replay stops; null: none
 * @param salvage whether the whole lines of a recording that was cut short are taken
 * @param json whether the report is printed as JSON
 */
public record DecisionRun(
    Path subject, List<String> with, @Nullable String until, boolean salvage, boolean json) {
  private static final Pattern PLACE = Pattern.compile("(\\d{1,5})/(\\d{1,18})");

  public DecisionRun {
    with = List.copyOf(with);
  }

  /** Replays and prints, and returns the exit status: 5 if a decision is another one. */
  public int execute() throws UserMistakeException {
    Path file = file(subject);
    Matcher place = place();
    RecordingHeader header;
    try (var reader = RecordingReader.ofLog(file, salvage)) {
      header = reader.header();
    }
    ReplaySettings settings =
        AskedSettings.of(ReplaySettings.of(file, header, Registries.vocabulary()), with);
    if (!header.core().equals(SchedulingCore.DECISIONS_VERSION) && !json) {
      System.out.printf(
          "Another core made these decisions: version (%s), and this Sluice has (%s)%n",
          header.core(), SchedulingCore.DECISIONS_VERSION);
    }
    refuseToAsk(settings);
    return place == null
        ? compare(file, header, settings)
        : stateUntil(
            file, settings, Integer.parseInt(place.group(1)), Long.parseLong(place.group(2)));
  }

  private static void refuseToAsk(ReplaySettings settings) throws UserMistakeException {
    ReplaySettings.Asked asked = settings.asked();
    String reason = settings.reasonNotToAsk();
    if (asked != null && reason != null) {
      throw new UserMistakeException(
          "--with",
          "scheduler (%s) cannot be asked in states recorded under (%s): one of them %s"
              .formatted(asked.schedulerName(), settings.schedulerName(), reason),
          "its requests should be run again under it: ./sluice replay FILE --config CONFIG");
    }
  }

  private int compare(Path file, RecordingHeader header, ReplaySettings settings)
      throws UserMistakeException {
    var replay = new DecisionReplay(settings, null);
    String loss = read(file, replay);
    if (loss == null) {
      refuseEmpty(file, header, replay);
    }
    Tally own = replay.asked();
    Tally tally = own == null ? replay.recorded() : own;
    Difference first = tally.first();
    List<String> state = first == null ? List.of() : stateOf(file, settings, first);
    if (json) {
      System.out.println(json(file, header, settings, replay, loss, tally, state).toPrettyString());
    } else {
      print(settings, replay, loss, tally, state);
    }
    return tally.others() + replay.recorded().others() == 0 ? ExitStatus.DONE : ExitStatus.FAULTS;
  }

  private static void refuseEmpty(Path file, RecordingHeader header, DecisionReplay replay)
      throws UserMistakeException {
    Difference first = replay.isOver() ? replay.recorded().first() : null;
    for (int shard = 0; shard < Math.max(1, header.shards()); shard++) {
      boolean wasRead = first == null || first.after().shard() == shard;
      UserMistakeException.throwIf(
          wasRead && replay.facts(shard) == 0,
          file.toString(),
          "the recording holds no fact of shard (" + shard + ")",
          "retention took them before they were recorded: decisions rest on all facts");
    }
  }

  /**
   * Replays a log.
   *
   * @return what a log that was cut short lacks, in words; null: it is whole, or was not read to
   *     its end
   */
  private @Nullable String read(Path file, DecisionReplay replay) throws UserMistakeException {
    try (var reader = RecordingReader.ofLog(file, salvage)) {
      RecordedEntry entry = reader.next();
      while (entry != null && replay.take(entry)) {
        entry = reader.next();
      }
      if (entry == null) {
        replay.finish(reader.loss() != null);
      }
      return reader.loss();
    }
  }

  /** Returns the state in which a decision was made, and what comes next, by a second replay. */
  private List<String> stateOf(Path file, ReplaySettings settings, Difference of)
      throws UserMistakeException {
    List<String> lines = new ArrayList<>();
    var stop =
        new Stop(
            of.after().shard(),
            of.after().offset(),
            of.place(),
            (core, before) -> {
              lines.add(DecisionText.line(core.inspection()));
              lines.add(DecisionText.nextLine(core.inspection(), DecisionText.jobIds(of)));
            });
    read(file, new DecisionReplay(settings, stop));
    return lines;
  }

  private int stateUntil(Path file, ReplaySettings settings, int shard, long offset)
      throws UserMistakeException {
    List<String> lines = new ArrayList<>();
    var stop =
        new Stop(
            shard,
            offset,
            -1,
            (core, before) -> {
              lines.add(DecisionText.text(before));
              lines.addAll(DecisionText.lines(core.inspection()));
            });
    var replay = new DecisionReplay(settings, stop);
    read(file, replay);
    if (lines.isEmpty()) {
      long facts = replay.facts(shard);
      throw new UserMistakeException(
          "--until",
          "the log holds no fact (" + shard + "/" + offset + ")",
          facts == 0
              ? "another shard was meant: this one has no facts"
              : "--until %d/%d was meant, the last one".formatted(shard, facts - 1));
    }
    if (json) {
      ObjectNode json = JsonNodeFactory.instance.objectNode();
      json.put("before", lines.get(0));
      lines.stream().skip(1).forEach(json.putArray("state")::add);
      System.out.println(json.toPrettyString());
    } else {
      System.out.println("before " + String.join("\n", lines));
    }
    return ExitStatus.DONE;
  }

  private static void print(
      ReplaySettings settings,
      DecisionReplay replay,
      @Nullable String loss,
      Tally tally,
      List<String> state) {
    System.out.printf(
        "%,d of %,d decisions equal (%,d facts, %d %s, %s)%n",
        tally.equalCount(),
        tally.compared(),
        replay.facts(),
        replay.shards(),
        replay.shards() == 1 ? "shard" : "shards",
        AskedSettings.words(settings));
    if (loss != null) {
      System.out.println("Note: " + loss);
    }
    if (replay.unrecorded() > 0) {
      System.out.printf(
          "Note: %,d decisions at the end were not compared: the log was cut short before them%n",
          replay.unrecorded());
    }
    boolean isAsked = replay.asked() != null;
    if (isAsked && replay.recorded().others() > 0) {
      System.out.println(
          "Note: this core repeats the recorded decisions otherwise: see without --with");
    }
    DecisionText.first(tally, state, isAsked).forEach(System.out::println);
    if (isAsked) {
      System.out.println(
          "Each answer was given in a recorded state and not followed: this tells nothing of"
              + " latencies.");
    }
  }

  private static ObjectNode json(
      Path file,
      RecordingHeader header,
      ReplaySettings settings,
      DecisionReplay replay,
      @Nullable String loss,
      Tally tally,
      List<String> state) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("log", file.toString());
    json.put("run_id", header.runId());
    json.put("recorded_core", header.core());
    json.put("core", SchedulingCore.DECISIONS_VERSION);
    json.put("settings", AskedSettings.words(settings));
    json.put("facts", replay.facts());
    json.put("shards", replay.shards());
    DecisionText.put(json, tally);
    json.put("others_of_this_core", replay.recorded().others());
    json.put("not_compared", replay.unrecorded());
    json.put("loss", loss);
    Difference first = tally.first();
    if (first == null) {
      json.putNull("first");
    } else {
      ObjectNode object = json.putObject("first");
      DecisionText.put(object, first);
      if (!state.isEmpty()) {
        object.put("state", state.get(0));
      }
    }
    return json;
  }

  private @Nullable Matcher place() throws UserMistakeException {
    Matcher matcher = until == null ? null : PLACE.matcher(until);
    UserMistakeException.throwIf(
        matcher != null && !matcher.matches(),
        "--until",
        "the value (" + until + ") is no SHARD/OFFSET",
        "--until 0/8123 will do");
    return matcher;
  }

  private static Path file(Path subject) throws UserMistakeException {
    if (!Files.isDirectory(subject)) {
      return subject;
    }
    Path log = subject.resolve(FolderFiles.LOG);
    UserMistakeException.throwIf(
        !Files.exists(log),
        subject.toString(),
        "the folder holds no " + FolderFiles.LOG,
        "the run is unfinished, or it ran with --no-log; a simulation leaves one with --log");
    return log;
  }
}
