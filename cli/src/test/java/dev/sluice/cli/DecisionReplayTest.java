package dev.sluice.cli;

import static dev.sluice.cli.BadInputCommand.sluice;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.cli.Loop.Ended;
import dev.sluice.contract.log.RecordedEntry;
import dev.sluice.contract.log.RecordedRequest;
import dev.sluice.contract.log.RecordingHeader;
import dev.sluice.contract.log.RecordingReader;
import dev.sluice.contract.log.RecordingWriter;
import dev.sluice.contract.log.RequestKind;
import dev.sluice.harness.frame.ExitStatus;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code replay --decisions}: what it prints of logs of simulations and runs, and refuses. */
final class DecisionReplayTest {

  @TempDir private static Path shared;

  @TempDir private Path folder;

  /** Folder of a simulation that overloads one lane, so that jobs wait and policies matter. */
  private static Path run;

  @BeforeAll
  static void simulate() throws IOException {
    Path config =
        Files.writeString(
            shared.resolve("busy.yaml"), Loop.EMULATED.replace("num_lanes: 2", "num_lanes: 1"));
    BadInputCommand done =
        sluice(
            "simulate",
            config.toString(),
            "--log",
            "--no-trace",
            "--results",
            shared.toString(),
            "--run-id",
            "busy",
            "--set",
            "arrival_rate_jobs_per_sec=300");
    assertThat(done.err()).isEmpty();
    run = shared.resolve("busy");
  }

  private static BadInputCommand replay(Path subject, String... options) {
    return sluice(
        Stream.concat(
                Stream.of("replay", "--decisions", subject.toString()), Arrays.stream(options))
            .toArray(String[]::new));
  }

  @Test
  void asksAnotherPolicyInEachRecordedState() {
    BadInputCommand done = replay(run, "--with", "scheduler_name=fifo");

    assertThat(done.status()).as(done.err()).isEqualTo(ExitStatus.FAULTS);
    assertThat(done.out().lines().toList())
        .satisfiesExactly(
            line ->
                assertThat(line)
                    .matches(
                        "[\\d,]+ of [\\d,]+ decisions equal \\(.*, fifo in place of dynamic\\)"),
            line -> assertThat(line).matches("first of \\d+ others: after fact 0/\\d+, .* s, .*"),
            line -> assertThat(line).matches("  then  \\d+-\\d on executor-0/0  job-.* = .*"),
            line -> assertThat(line).startsWith("  now   "),
            line -> assertThat(line).matches("  state \\d+ wait \\(.*\\); .*; .* tokens free"),
            line -> assertThat(line).matches("  next  .*; again with --until 0/\\d+"),
            line -> assertThat(line).matches("others by class: .*; by kind: .*"),
            line -> assertThat(line).endsWith("this tells nothing of latencies."));
  }

  @Test
  void isShownInTheDocuments() throws IOException {
    BadInputCommand done = replay(run, "--with", "scheduler.batchability=50");

    assertThat(done.status()).as(done.err()).isEqualTo(ExitStatus.FAULTS);
    assertThat(Files.readString(Path.of("../docs/replay.md")))
        .contains("```\n" + done.out() + "```\n");
  }

  @Test
  void findsNothing_whenAskedForWhatWasRecorded() {
    BadInputCommand done =
        replay(run, "--with", "scheduler_name=dynamic", "--with", "scheduler.urgency=1");

    assertThat(done.status()).as(done.out()).isZero();
    assertThat(done.out()).contains(", dynamic)\n");
  }

  @Test
  void saysTheSameInJson() throws IOException {
    BadInputCommand done = replay(run, "--with", "scheduler_name=fifo", "--json");

    JsonNode json = new ObjectMapper().readTree(done.out());
    assertThat(done.status()).isEqualTo(ExitStatus.FAULTS);
    assertThat(json.path("others").asLong())
        .isPositive()
        .isEqualTo(json.path("decisions").asLong() - json.path("equal").asLong());
    assertThat(json.path("others_of_this_core").asLong(-1)).isZero();
    assertThat(json.path("first").path("then").path("jobs")).isNotEmpty();
    assertThat(json.path("first").path("state").asText()).contains(" wait (");
  }

  @Test
  @Timeout(600)
  void printsAnEmptyState_andEnds_whereMuchOfTheLogIsUnread() {
    BadInputCommand done = replay(run, "--until", "0/3");

    assertThat(done.status()).as(done.err()).isZero();
    assertThat(done.out()).startsWith("before fact 0/3, ").doesNotContain("\n  waits ");
  }

  @Test
  void printsTheStateBeforeAFact() {
    BadInputCommand done = replay(run, "--until", "0/150");

    assertThat(done.status()).as(done.err()).isZero();
    assertThat(done.out()).startsWith("before fact 0/150, ");
    assertThat(done.out()).contains("\n  lane  executor-0/0  busy until about ");
    assertThat(done.out()).containsPattern("\n  waits job-\\d+  batch, ");
  }

  @Test
  void findsAChangedDecision_andSaysThatAnotherCoreMadeIt() throws Exception {
    Path changed =
        copy(
            header -> withCore(header, "0"),
            entry ->
                entry.topic().equals("dispatches") && entry.offset() == 40
                    ? changed(entry, "\"attempt\":1", "\"attempt\":2")
                    : entry);

    BadInputCommand done = replay(changed);

    assertThat(done.status()).isEqualTo(ExitStatus.FAULTS);
    List<String> lines = done.out().lines().toList();
    assertThat(lines.get(0)).startsWith("Another core made these decisions: version (0), and ");
    assertThat(lines.get(2)).startsWith("first difference: after fact 0/");
    assertThat(lines.get(4)).isEqualTo("  now   the same, but attempt 1 in place of 2");
  }

  @Test
  void refusesWhatIsNoLogWithAllFacts() throws Exception {
    Path gone =
        copy(
            header -> header,
            entry -> entry.topic().equals("facts") && entry.offset() < 4 ? null : entry);
    replay(gone).isRefused(1).says("facts/0: error: the facts 0 to 3 are missing");

    Path requests = folder.resolve("requests.jsonl.gz");
    try (var writer = RecordingWriter.ofRequests(requests, RecordingHeader.requests(null))) {
      writer.write(new RecordedRequest(0, new RequestKind(null, null, null, null, 0, 0)));
      writer.finish();
    }
    replay(requests).isRefused(1).says("(requests)");

    replay(folder).isRefused(1).says("the folder holds no log.jsonl.gz");
  }

  @Test
  void takesTheWholeLinesOfARecordingThatWasCutShort() throws Exception {
    byte[] whole = Files.readAllBytes(run.resolve("log.jsonl.gz"));
    Path cut =
        Files.write(folder.resolve("cut.jsonl.gz"), Arrays.copyOf(whole, whole.length * 2 / 3));

    replay(cut).isRefused(1).says("--salvage");
    BadInputCommand done = replay(cut, "--salvage");

    assertThat(done.status()).as(done.out() + done.err()).isZero();
    assertThat(done.out()).contains("Note: the recording is cut short after ");
  }

  @Test
  void refusesAnExperimentOfANewerSluice() throws Exception {
    Path newer =
        copy(
            header ->
                new RecordingHeader(
                    header.version(),
                    header.kind(),
                    header.runId(),
                    header.timeZeroEpochMs(),
                    header.shards(),
                    header.core(),
                    header.requestDigest(),
                    header.configDigest(),
                    header.experiment() + "telepathy: true\n"),
            entry -> entry);

    replay(newer)
        .isRefused(2)
        .says("the recorded experiment has what this Sluice does not know")
        .says("the key telepathy is unknown");
  }

  @Test
  void refusesWhatCannotBeAsked() {
    replay(run, "--with", "scheduler_name=fifoo").isRefused(1).says("you meant fifo");
    replay(run, "--with", "scheduler.urgncy=2").isRefused(1).says("you meant urgency");
    replay(run, "--with", "scheduler.urgency=-1")
        .isRefused(1)
        .says("(-1.0) must be at least 0 and");
    replay(run, "--with", "scheduler_name=dynamic", "--with", "scheduler.urgency=11")
        .isRefused(1)
        .says("scheduler.overdue (10) must be at least urgency (11)");
    replay(run, "--with", "admission=never").isRefused(1).says("admission (never) is unknown");
    replay(run, "--with", "lanes.ahead=1").isRefused(1).says("(lanes.ahead) cannot be asked");
    replay(run, "--with", "fifo").isRefused(1).says("not written KEY=VALUE");
    replay(run, "--until", "8123").isRefused(1).says("--until 0/8123 will do");
    replay(run, "--until", "0/999999").isRefused(1).says("the last one");
    replay(run, "--until", "7/0").isRefused(1).says("this one has no facts");
  }

  @Test
  @Tag("loop")
  void findsAllDecisionsEqual_inTheLogOfALiveRun() throws Exception {
    Ended live = new Loop(folder, SharedBroker.get().bootstrapServers()).run("live");
    live.assertWhole();

    BadInputCommand done = replay(live.folder());

    assertThat(done.status()).as(done.out() + done.err()).isZero();
  }

  private Path copy(UnaryOperator<RecordingHeader> ofHeader, UnaryOperator<RecordedEntry> ofEntry)
      throws Exception {
    Path copy = folder.resolve("copy.jsonl.gz");
    try (var reader = RecordingReader.ofLog(run.resolve("log.jsonl.gz"), false);
        var writer = RecordingWriter.ofLog(copy, ofHeader.apply(reader.header()))) {
      for (RecordedEntry entry = reader.next(); entry != null; entry = reader.next()) {
        RecordedEntry changed = ofEntry.apply(entry);
        if (changed != null) {
          writer.write(changed);
        }
      }
      writer.finish();
    }
    return copy;
  }

  private static RecordedEntry changed(RecordedEntry entry, String from, String to) {
    String text = new String(entry.value(), StandardCharsets.UTF_8);
    assertThat(text).contains(from);
    return new RecordedEntry(
        entry.topic(),
        entry.partition(),
        entry.offset(),
        entry.appendedAtEpochMs(),
        text.replace(from, to).getBytes(StandardCharsets.UTF_8));
  }

  private static RecordingHeader withCore(RecordingHeader header, String core) {
    return new RecordingHeader(
        header.version(),
        header.kind(),
        header.runId(),
        header.timeZeroEpochMs(),
        header.shards(),
        core,
        header.requestDigest(),
        header.configDigest(),
        header.experiment());
  }
}
