package dev.sluice.harness.replay;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.analytics.folder.FolderFiles;
import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.RecordingHeader;
import dev.sluice.contract.log.RecordingReader;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.Registries;
import dev.sluice.scheduler.replay.DecisionReplay;
import dev.sluice.scheduler.replay.Difference;
import dev.sluice.scheduler.replay.LogDecoder;
import dev.sluice.scheduler.replay.LoggedRecord;
import dev.sluice.scheduler.replay.LoggedRecord.LoggedFact;
import dev.sluice.scheduler.replay.Moment;
import dev.sluice.scheduler.replay.ReplaySettings;
import dev.sluice.scheduler.replay.Tally;
import dev.sluice.scheduling.core.SchedulingCore;
import dev.sluice.scheduling.policies.Policies;
import dev.sluice.scheduling.policy.SchedulingPolicy.Need;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Makes the decisions of a recorded log again, and prints how they compare with the record. */
public final class DecisionRun {
  private static final JsonMapper JSON = new JsonMapper();
  private static final Pattern PLACE = Pattern.compile("(\\d{1,5})/(\\d{1,18})");

  private final DecisionOptions options;

  public DecisionRun(DecisionOptions options) {
    this.options = options;
  }

  /** A shard and an offset in its facts. */
  private record Place(int shard, long offset) {}

  /** A replay that has ended, and what the recording lacked; null: nothing. */
  private record Ended(DecisionReplay replay, @Nullable String loss) {}

  /** A state, and the fact before which it stood. */
  private record Snapshot(Moment before, StateText state) {}

  /** Replays and prints, and returns the exit status: 3 if a decision is another one. */
  public int execute() throws UserMistakeException, InterruptedException {
    Path file = file(options.subject());
    Place until = until();
    RecordingHeader header = header(file);
    AskedSettings asked =
        AskedSettings.of(ReplaySettings.of(file, header, Registries.vocabulary()), options.with());
    String otherCore = otherCore(header);
    if (otherCore != null && !options.json()) {
      System.out.println(otherCore);
    }
    return until == null ? compare(file, header, asked) : stateUntil(file, asked.settings(), until);
  }

  private int compare(Path file, RecordingHeader header, AskedSettings asked)
      throws UserMistakeException, InterruptedException {
    Ended ended = replay(file, new DecisionReplay(asked.settings()), asked.settings());
    DecisionReplay replay = ended.replay();
    if (ended.loss() == null) {
      refuseEmpty(file, header, replay);
    }
    Tally own = replay.asked();
    Tally tally = own == null ? replay.recorded() : own;
    Difference first = tally.first();
    Snapshot snapshot = first == null ? null : snapshot(file, asked.settings(), first);
    if (options.json()) {
      printJson(file, header, asked, ended, tally, snapshot);
    } else {
      System.out.printf(
          "%,d of %,d decisions equal (%,d facts, %d %s, %s)%n",
          tally.equalCount(),
          tally.compared(),
          replay.facts(),
          replay.shards(),
          replay.shards() == 1 ? "shard" : "shards",
          asked.words());
      notes(ended, own).forEach(System.out::println);
      if (first != null) {
        DecisionReport.first(tally, first, snapshot == null ? null : snapshot.state())
            .forEach(System.out::println);
        System.out.println(DecisionReport.others(tally));
      }
      if (own != null) {
        System.out.println(
            "Each answer was given in a recorded state and not followed: this tells nothing of"
                + " latencies.");
      }
    }
    return tally.others() + replay.recorded().others() == 0 ? ExitStatus.DONE : ExitStatus.FAULTS;
  }

  private static List<String> notes(Ended ended, @Nullable Tally own) {
    List<String> notes = new ArrayList<>();
    if (ended.loss() != null) {
      notes.add("Note: " + ended.loss());
    }
    long unrecorded = ended.replay().unrecorded();
    if (unrecorded > 0) {
      notes.add(
          "Note: %,d decisions at the end were not compared: the log was cut short before them"
              .formatted(unrecorded));
    }
    long others = ended.replay().recorded().others();
    if (own != null && others > 0) {
      notes.add(
          "Note: this core repeats %,d of the recorded decisions otherwise: see without --with"
              .formatted(others));
    }
    return notes;
  }

  private static void refuseEmpty(Path file, RecordingHeader header, DecisionReplay replay)
      throws UserMistakeException {
    for (int shard = 0; shard < Math.max(1, header.shards()); shard++) {
      if (replay.facts(shard) == 0) {
        throw new UserMistakeException(
            file.toString(),
            "the recording holds no fact of shard (" + shard + ")",
            "retention took them before they were recorded: decisions rest on all facts");
      }
    }
  }

  private static Ended replay(
      DecisionReplay replay, LogReading reading, Path file, boolean noPromises)
      throws UserMistakeException, InterruptedException {
    try {
      String loss =
          reading.read(
              entry -> {
                LoggedRecord record = LogDecoder.decode(entry);
                if (record == null) {
                  return true;
                }
                if (noPromises && record instanceof LoggedFact fact) {
                  refuseWithoutPromise(fact);
                }
                replay.take(record);
                return !replay.stopped();
              });
      if (!replay.stopped()) {
        replay.finish(loss != null);
      }
      return new Ended(replay, loss);
    } catch (UserMistakeException e) {
      throw new UserMistakeException(
          e.problems().stream()
              .map(
                  p ->
                      p.location().startsWith("facts/")
                          ? new UserMistakeException.Problem(
                              file + ", " + p.location(), p.what(), p.maybe())
                          : p)
              .toList());
    }
  }

  private Ended replay(Path file, DecisionReplay replay, ReplaySettings settings)
      throws UserMistakeException, InterruptedException {
    ReplaySettings.Asked asked = settings.asked();
    String reason = settings.reasonNotToAsk().orElse(null);
    if (asked != null && reason != null) {
      throw new UserMistakeException(
          "--with",
          "scheduler (%s) cannot be asked in states recorded under (%s): one of them %s"
              .formatted(asked.schedulerName(), settings.schedulerName(), reason),
          "its requests should be run again under it: ./sluice replay FILE --config CONFIG");
    }
    boolean needsPromises =
        asked != null
            && Policies.create(asked.schedulerName(), asked.weights()).needs().has(Need.DEADLINES);
    try (var reading = LogReading.open(file, options.salvage())) {
      return replay(replay, reading, file, needsPromises);
    }
  }

  private static void refuseWithoutPromise(LoggedFact fact) throws UserMistakeException {
    if (fact.fact() instanceof WorkflowRequested workflow && workflow.sloNs() == null) {
      throw new UserMistakeException(
          "--with",
          "the scheduler goes by latency promises, and workflow request ("
              + workflow.requestId()
              + ") has none",
          "you want to ask a scheduler that reads none, such as fifo");
    }
  }

  /** Returns the state in which a decision was made, from a second replay up to there. */
  private @Nullable Snapshot snapshot(Path file, ReplaySettings settings, Difference of)
      throws UserMistakeException, InterruptedException {
    var taken = new AtomicReference<@Nullable Snapshot>();
    Moment after = of.after();
    replay(
        file,
        DecisionReplay.until(settings, after.shard(), after.offset(), of.place(), taker(taken)),
        settings);
    return taken.get();
  }

  private static DecisionReplay.AtStop taker(AtomicReference<@Nullable Snapshot> into) {
    return (core, before) -> into.set(new Snapshot(before, StateText.of(core.inspection())));
  }

  private int stateUntil(Path file, ReplaySettings settings, Place until)
      throws UserMistakeException, InterruptedException {
    var taken = new AtomicReference<@Nullable Snapshot>();
    Ended ended =
        replay(
            file,
            DecisionReplay.until(settings, until.shard(), until.offset(), -1, taker(taken)),
            settings);
    Snapshot snapshot = taken.get();
    if (snapshot == null) {
      long facts = ended.replay().facts(until.shard());
      throw new UserMistakeException(
          "--until",
          "the log holds no fact (" + until.shard() + "/" + until.offset() + ")",
          facts == 0
              ? "another shard was meant: this one has no facts"
              : "--until %d/%d was meant, the last one".formatted(until.shard(), facts - 1));
    }
    if (options.json()) {
      ObjectNode json = JSON.createObjectNode();
      json.put("before", DecisionReport.words(snapshot.before()));
      snapshot.state().lines().forEach(json.putArray("state")::add);
      print(json);
    } else {
      System.out.println("before " + DecisionReport.words(snapshot.before()));
      snapshot.state().lines().forEach(System.out::println);
    }
    return ExitStatus.DONE;
  }

  private void printJson(
      Path file,
      RecordingHeader header,
      AskedSettings asked,
      Ended ended,
      Tally tally,
      @Nullable Snapshot snapshot) {
    ObjectNode json = JSON.createObjectNode();
    json.put("log", file.toString());
    json.put("run_id", header.runId());
    json.put("recorded_core", header.core());
    json.put("core", SchedulingCore.DECISIONS_VERSION);
    json.put("settings", asked.words());
    json.put("facts", ended.replay().facts());
    json.put("shards", ended.replay().shards());
    DecisionReport.put(json, tally);
    json.put("others_of_this_core", ended.replay().recorded().others());
    json.put("not_compared", ended.replay().unrecorded());
    json.put("loss", ended.loss());
    Difference first = tally.first();
    if (first == null) {
      json.putNull("first");
    } else {
      ObjectNode object = json.putObject("first");
      DecisionReport.put(object, first);
      if (snapshot != null) {
        object.put("state", snapshot.state().line());
      }
    }
    print(json);
  }

  private static void print(ObjectNode json) {
    try {
      System.out.println(JSON.writerWithDefaultPrettyPrinter().writeValueAsString(json));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a report cannot be written", e);
    }
  }

  private static @Nullable String otherCore(RecordingHeader header) {
    if (header.core().equals(SchedulingCore.DECISIONS_VERSION)) {
      return null;
    }
    return "Another core made these decisions: version (%s), and this Sluice has (%s)"
        .formatted(header.core(), SchedulingCore.DECISIONS_VERSION);
  }

  /** Returns the header; that of other kinds than logs is refused. */
  private RecordingHeader header(Path file) throws UserMistakeException {
    try (var reader = RecordingReader.open(file, options.salvage())) {
      return reader.header();
    }
  }

  private @Nullable Place until() throws UserMistakeException {
    String text = options.until();
    if (text == null) {
      return null;
    }
    Matcher matcher = PLACE.matcher(text);
    if (!matcher.matches()) {
      throw new UserMistakeException(
          "--until", "the value (" + text + ") is no SHARD/OFFSET", "--until 0/8123 will do");
    }
    return new Place(Integer.parseInt(matcher.group(1)), Long.parseLong(matcher.group(2)));
  }

  private static Path file(Path subject) throws UserMistakeException {
    if (!Files.isDirectory(subject)) {
      return subject;
    }
    Path log = subject.resolve(FolderFiles.LOG);
    if (!Files.exists(log)) {
      throw new UserMistakeException(
          subject.toString(),
          "the folder holds no " + FolderFiles.LOG,
          "the run is unfinished, or it ran with --no-log; a simulation leaves one with --log");
    }
    return log;
  }
}
