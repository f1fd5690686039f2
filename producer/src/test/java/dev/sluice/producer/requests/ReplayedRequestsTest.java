package dev.sluice.producer.requests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.experiment.ResolvedConfig;
import dev.sluice.contract.experiment.Vocabulary;
import dev.sluice.contract.experiment.Vocabulary.PolicyWeights;
import dev.sluice.contract.file.Range;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.RecordedEntry;
import dev.sluice.contract.log.RecordedRequest;
import dev.sluice.contract.log.RecordingHeader;
import dev.sluice.contract.log.RecordingHeader.Kind;
import dev.sluice.contract.log.RecordingWriter;
import dev.sluice.contract.log.RequestKind;
import dev.sluice.producer.arrivals.ArrivalProcesses;
import dev.sluice.producer.requests.RequestList.IsolatedTimes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.lifecycle.AfterProperty;
import net.jqwik.api.lifecycle.BeforeProperty;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests from a recording or a trace, in place of drawn ones. */
final class ReplayedRequestsTest {
  private static final long S = 1_000_000_000;
  private static final IsolatedTimes ALONE =
      (workload, backend, precision, samples) -> 5 + 0.5 * samples;

  private static final Vocabulary VOCABULARY =
      new Vocabulary(
          Map.of(
              "fifo",
              PolicyWeights.NONE,
              "dynamic",
              new PolicyWeights(
                  List.of(new PolicyWeights.Weight("urgency", Range.within(0, 1), 1)),
                  given -> Optional.empty(),
                  List.of(),
                  false),
              "random",
              PolicyWeights.NONE,
              "batch_aware",
              PolicyWeights.NONE),
          ArrivalProcesses.keys(),
          Map.of("resnet18", 80, "resnet50", 160, "vit_tiny", 40),
          Map.of(),
          List.of());

  private static final String CONFIG =
      """
      duration_seconds: 20
      warmup_seconds: 2
      tail_seconds: 10
      arrival_rate_jobs_per_sec: 30
      classes: {interactive: {slo_ms: 100}, batch: {slo_ms: 1000}}
      workloads: [resnet18, {name: resnet50, weight: 2}]
      batch_sizes: [1, 8]
      backends_enabled: [onnx]
      """;

  private Path folder;

  @BeforeEach
  @BeforeProperty
  void makeFolder() throws IOException {
    folder = Files.createTempDirectory("replayed");
  }

  @AfterEach
  @AfterProperty
  void removeFolder() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(folder);
  }

  @ParameterizedTest
  @CsvSource({"fifo, 1, 1", "dynamic, 3, 1", "random, 2, 4", "dynamic, 7, 64"})
  void aWholeRecordingHasItsSourcesDigest_whateverThePolicyGeneratorsAndShards(
      String policy, int generators, int shards) throws Exception {
    RequestList list = list(CONFIG);
    writeRequests(list);
    String other =
        CONFIG.replace("rate_jobs_per_sec: 30", "rate_jobs_per_sec: 1").replace("[1, 8]", "[2]")
            + "seed: 77\ngenerators: %d\nscheduler_name: %s\nkafka: {shards: %d}\n"
                .formatted(generators, policy, shards)
            + "interactive_ratio: 0.9\n";
    RequestList replayed = list(other + replay(""));
    assertThat(replayed.digest()).isEqualTo(list.digest());
    assertThat(replayed.notes().get(0))
        .contains("%,d of %,d requests".formatted(list.size(), list.size()));
    assertThat(String.join("\n", replayed.notes()))
        .contains(
            "without effect on a replay: arrival_rate_jobs_per_sec, interactive_ratio, batch_sizes")
        .contains("not warmed up, since batch_sizes lacks them: jobs of samples [1, 8]");
  }

  /** A log holds only what was sent; the list is drawn anew from its experiment, and proved. */
  @ParameterizedTest
  @ValueSource(strings = {"interactive: {slo_ms: 100}", "interactive: {slo_scale: 7.3}"})
  void aRunsLogGivesTheWholeListOfWhichItSentAPart(String promise) throws Exception {
    String config =
        CONFIG.replace("interactive: {slo_ms: 100}", promise)
            + "lanes: {kind: emulated, latency_table: none.csv}\n";
    ParsedExperiment parsed = parse(config);
    RequestList list = RequestList.of(parsed, ALONE);
    writeLog(parsed, list, 400, list.digest());
    assertThat(list.size()).isGreaterThan(600);
    RequestList replayed = list(CONFIG + replay(""));
    assertThat(replayed.digest()).isEqualTo(list.digest());
    assertThat(RecordedLoad.read(folder.resolve("load.gz"), false, VOCABULARY).isWhole()).isTrue();
  }

  /** A replay of a replay is the list of the first run. */
  @Test
  void aRecordedReplayGivesTheListThatItReplayed() throws Exception {
    RequestList list = list(CONFIG);
    writeRequests(list);
    Files.move(folder.resolve("load.gz"), folder.resolve("first.gz"));
    ParsedExperiment again = parse(CONFIG + replay("").replace("load.gz", "first.gz"));
    writeLog(again, RequestList.of(again, ALONE), 100, list.digest());
    assertThat(list(CONFIG + replay("")).digest()).isEqualTo(list.digest());
  }

  @Test
  void whereTheListCannotBeProved_theSentRequestsCount_andThatIsSaid() throws Exception {
    ParsedExperiment parsed = parse(CONFIG);
    RequestList list = RequestList.of(parsed, ALONE);
    writeLog(parsed, list, 400, "another");
    RequestList replayed = list(CONFIG + replay(""));
    assertThat(replayed.size()).isEqualTo(400);
    assertThat(IntStream.range(0, 400).mapToObj(replayed::get))
        .containsExactlyElementsOf(IntStream.range(0, 400).mapToObj(list::get).toList());
    assertThat(String.join("\n", replayed.notes()))
        .contains("only the requests that were sent, not the whole list")
        .contains("another digest");
    assertThat(RecordedLoad.read(folder.resolve("load.gz"), false, VOCABULARY).isWhole()).isFalse();
  }

  @Property(tries = 20)
  void speedDividesTimes_neverPromises(@ForAll @DoubleRange(min = 0.05, max = 50) double speed)
      throws Exception {
    RequestList list = list(CONFIG);
    writeRequests(list);
    RequestList replayed = list(CONFIG + replay("speed: " + speed));
    assertThat(replayed.size()).isEqualTo(list.countBefore((long) Math.ceil(30 * S * speed)));
    for (int i = 0; i < replayed.size(); i++) {
      JobRequested was = list.get(i);
      JobRequested is = replayed.get(i);
      assertThat((double) is.intendedAtNs()).isCloseTo(was.intendedAtNs() / speed, within(1.0));
      assertThat(is.sloNs()).isEqualTo(was.sloNs());
      assertThat(is.workload()).isEqualTo(was.workload());
    }
  }

  /** The measured window, which begins at 2 s, begins at the recorded second {@code from}. */
  @Property(tries = 20)
  void whatWasRecordedBeforeFromIsPlayedAsWarmUp(
      @ForAll @IntRange(max = 20) int from, @ForAll @IntRange(min = 1, max = 4) int speed)
      throws Exception {
    RequestList list = list(CONFIG);
    writeRequests(list);
    RequestList replayed = list(CONFIG + replay("from: " + from + ", to: 25, speed: " + speed));
    long beginNs = Math.max(0, from - 2L * speed) * S;
    assertThat(replayed.size()).isEqualTo(list.countBefore(25 * S) - list.countBefore(beginNs));
    JobRequested first = list.get(list.countBefore(beginNs));
    assertThat(replayed.get(0).intendedAtNs()).isEqualTo((first.intendedAtNs() - beginNs) / speed);
    long measured = replayed.size() - replayed.countBefore(2 * S);
    assertThat(measured)
        .isEqualTo(list.countBefore(25 * S) - list.countBefore(beginNs + 2 * S * speed));
    assertThat(beginNs + 2 * S * speed).isGreaterThanOrEqualTo(from * S);
  }

  @Test
  void promisesAreTheRecordings_orTheConfigs() throws Exception {
    writeRequests(list(CONFIG));
    String other =
        CONFIG.replace("interactive: {slo_ms: 100}", "interactive: {slo_scale: 3}")
            + "lanes: {kind: emulated, latency_table: none.csv}\n";
    assertThat(promises(list(other + replay("")))).containsExactlyInAnyOrder(100 * S / 1000, S);
    assertThat(promises(list(other + replay("slo: config"))))
        .containsExactlyInAnyOrder(16_500_000L, 27_000_000L, S);
  }

  private static List<Long> promises(RequestList list) {
    return IntStream.range(0, list.size()).mapToObj(i -> list.get(i).sloNs()).distinct().toList();
  }

  @Test
  void namesThatTheConfigLacksAreRefused_withTheirCountAndTheNearestName() throws Exception {
    RequestList list = list(CONFIG);
    writeRequests(list);
    String other =
        CONFIG
                .replace(
                    "{name: resnet50, weight: 2}",
                    "{name: resnet5x, tokens: 9, alpha_ms: 1, beta_ms: 1}")
                .replace("batch: {", "bulk: {priority: 9, ")
            + "lanes: {kind: emulated, latency_table: none.csv}\n";
    long resnet50 = count(list, r -> r.workload().equals("resnet50"));
    long batch = count(list, r -> r.classType().equals("batch"));
    assertThatThrownBy(() -> list(other + replay("")))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining(
            "load.gz: error: %,d requests are of workload (resnet50), which this experiment lacks."
                .formatted(resnet50))
        .hasMessageContaining("--map workload:resnet50=resnet5x")
        .hasMessageContaining("%,d requests are of class (batch)".formatted(batch))
        .hasMessageContaining("--drop class:batch");
    RequestList mapped =
        list(other + replay("map: [workload:resnet50=resnet5x], drop: [class:batch]"));
    assertThat(mapped.size()).isEqualTo((int) (list.size() - batch));
    assertThat(count(mapped, r -> r.workload().equals("resnet5x")))
        .isEqualTo(
            count(list, r -> r.workload().equals("resnet50") && !r.classType().equals("batch")));
    assertThat(mapped.notes().get(0))
        .contains("workload resnet50 as resnet5x")
        .contains("class batch dropped")
        .contains("%,d of %,d requests".formatted(mapped.size(), list.size()))
        .contains("%,d dropped by name".formatted(batch));
  }

  @Test
  void mapsToUnknownNamesAreRefused_andUnusedOnesSaid() throws Exception {
    writeRequests(list(CONFIG));
    assertThatThrownBy(() -> list(CONFIG + replay("map: [workload:resnet50=resnet19]")))
        .hasMessageContaining(
            "arrivals.map: error: workload (resnet50) stands for (resnet19) here, which this"
                + " experiment lacks.")
        .hasMessageContaining("you meant resnet18");
    assertThat(list(CONFIG + replay("map: [class:x=batch], drop: [workload:y]")).notes())
        .contains(
            "map (class:x=batch) applies to no request", "drop (workload:y) applies to no request");
  }

  @Test
  void jobsThatCanNeverFitAreRefused() throws Exception {
    writeRequests(list(CONFIG));
    assertThatThrownBy(
            () ->
                list(
                    CONFIG.replace("[1, 8]", "[1]")
                        + "resources: {total_tokens: 180}\n"
                        + replay("")))
        .hasMessageContaining("requests of resnet50 with 8 samples cost 192 tokens each")
        .hasMessageContaining("resources.total_tokens (180)");
  }

  /** Only the time is known, so that the rest comes from the experiment's mix. */
  @Test
  void whatATraceDoesNotSayIsDrawnFromTheMix() throws Exception {
    writeTrace("time_s\n" + times(600));
    RequestList list = list(CONFIG + trace(""));
    assertThat(list.size()).isEqualTo(600);
    assertThat(list.get(599).intendedAtNs()).isEqualTo(599 * S / 30);
    double share = count(list, r -> r.classType().equals("interactive")) / 600.0;
    assertThat(share).isCloseTo(0.3, within(0.1));
    assertThat(count(list, r -> r.workload().equals("resnet50")) / 600.0)
        .isCloseTo(2 / 3.0, within(0.1));
    assertThat(list(CONFIG + trace("")).digest()).isEqualTo(list.digest());
    assertThat(list(CONFIG + "seed: 2\n" + trace("")).digest()).isNotEqualTo(list.digest());
  }

  @Test
  void whatATraceSaysIsTaken_andTheOtherDrawsStayTheSame() throws Exception {
    writeTrace("time_s\n" + times(300));
    RequestList drawn = list(CONFIG + trace(""));
    writeTrace("time_s,workload,samples\n" + times(300).replace("\n", ",resnet50,3\n"));
    RequestList told = list(CONFIG + trace(""));
    for (int i = 0; i < 300; i++) {
      assertThat(told.get(i).classType()).isEqualTo(drawn.get(i).classType());
      assertThat(told.get(i).workload()).isEqualTo("resnet50");
      assertThat(told.get(i).samples()).isEqualTo(3);
    }
  }

  @Test
  void rateBringsTheMeanToItself() throws Exception {
    writeTrace("time_s\n" + times(600));
    RequestList list = list(CONFIG + trace("rate: 50, to: 20"));
    assertThat(list.size()).isEqualTo(600);
    assertThat(list.get(599).intendedAtNs() / 1e9).isCloseTo(12, within(0.1));
  }

  @Test
  void aStripedColumnIsDealtToTheWorkloads() throws Exception {
    writeTrace("app,func,end_timestamp,duration\na,x,2,1\na,y,3,1\na,z,4,1\na,x,5,1\n");
    RequestList list =
        list(
            CONFIG
                + trace(
                    "columns: {workload: {from: func, stripe: true}, class: app}, map:"
                        + " [class:a=batch]"));
    assertThat(IntStream.range(0, 4).mapToObj(i -> list.get(i).workload()))
        .containsExactly("resnet18", "resnet50", "resnet18", "resnet18");
    assertThat(list.get(0).classType()).isEqualTo("batch");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "speed: 0 | arrivals.speed (0) must be at least 0.000001",
        "speed: -2 | arrivals.speed (-2) must be at least 0.000001",
        "speed: .nan | arrivals.speed (.nan) must be at least 0.000001",
        "from: -1 | arrivals.from (-1) must be at least 0",
        "'from: 5, to: 5' | arrivals.to (5) is not after from (5)",
        "from: 700 | is left between from (700 s) and the end of what is played",
        "spede: 2 | arrivals.spede is unknown",
        "rate: 5 | arrivals.rate is unknown",
        "'map: [workload:a]' | arrivals.map (workload:a) is not of the form",
        "'map: [wrkload:a=b]' | begins with an unknown attribute",
        "'drop: [class]' | arrivals.drop (class) is not of the form",
        "slo: mine | arrivals.slo (mine)",
      })
  void refusesWhatMakesNoSense(String key, String mistake) throws Exception {
    writeRequests(list(CONFIG));
    assertThatThrownBy(() -> list(CONFIG + replay(key)))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining(mistake);
  }

  @Test
  void refusesARateBesideASpeed_andStripesOfNumbers() {
    assertThatThrownBy(() -> parse(CONFIG + trace("rate: 5, speed: 2")))
        .hasMessageContaining("arrivals.rate is given beside speed");
    assertThatThrownBy(() -> parse(CONFIG + trace("columns: {samples: {from: a, stripe: true}}")))
        .hasMessageContaining("arrivals.columns.samples.stripe deals out names");
    assertThatThrownBy(() -> parse(CONFIG + "arrivals: replay\n"))
        .hasMessageContaining("arrivals (replay) needs a file");
    assertThatThrownBy(() -> parse(CONFIG + "arrivals: {process: replay}\n"))
        .hasMessageContaining("arrivals.file is missing");
  }

  @Test
  void refusesDamagedRecordings_unlessSalvaged() throws Exception {
    RequestList list = list(CONFIG);
    writeRequests(list);
    Path file = folder.resolve("load.gz");
    byte[] whole = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(whole, whole.length / 2));
    assertThatThrownBy(() -> list(CONFIG + replay(""))).isInstanceOf(UserMistakeException.class);
    RequestList salvaged = list(CONFIG + replay("salvage: true"));
    assertThat(salvaged.size()).isBetween(1, list.size() - 1);
    assertThat(salvaged.get(salvaged.size() - 1)).isEqualTo(list.get(salvaged.size() - 1));
    Files.delete(file);
    assertThatThrownBy(() -> list(CONFIG + replay("")))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("load.gz");
  }

  @Test
  void refusesAnUnfinishedFolder() throws Exception {
    Path running = Files.createDirectory(folder.resolve("r-1.running"));
    assertThatThrownBy(() -> RecordedLoad.read(running, false, VOCABULARY))
        .hasMessageContaining("r-1.running: error: this run has not finished.");
    Path finished = Files.move(running, folder.resolve("r-1"));
    assertThatThrownBy(() -> RecordedLoad.read(finished, false, VOCABULARY))
        .hasMessageContaining("r-1: error: this folder holds no recording (log.jsonl.gz).");
  }

  /** The resolved text is read as an equal experiment. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "process: replay, file: x.gz",
        "process: replay, file: x.gz, speed: 2, from: 3, to: 9, salvage: true, slo: config",
        "process: replay, file: x.gz, map: ['workload:a b=resnet18'], drop: [class:x, backend:y]",
        "process: trace, file: x.csv, rate: 5, spread: true",
        "process: trace, file: x.csv, columns: {samples: N, workload: {from: f, stripe: true}}",
      })
  void isWrittenAsItIsRead(String arrivals) throws Exception {
    ParsedExperiment parsed = parse(CONFIG + "arrivals: {" + arrivals + "}\n");
    String text = ResolvedConfig.write(parsed.experiment());
    Path file = Files.writeString(folder.resolve("c.yaml"), text);
    assertThat(ExperimentFile.read(file, List.of(), VOCABULARY).experiment())
        .isEqualTo(parsed.experiment());
  }

  private static String replay(String keys) {
    return "arrivals: {process: replay, file: load.gz%s}\n"
        .formatted(keys.isEmpty() ? "" : ", " + keys);
  }

  private static String trace(String keys) {
    return "arrivals: {process: trace, file: load.csv%s}\n"
        .formatted(keys.isEmpty() ? "" : ", " + keys);
  }

  private static String times(int count) {
    var text = new StringBuilder();
    for (int i = 0; i < count; i++) {
      text.append(i * S / 30 / S).append('.').append("%09d".formatted(i * S / 30 % S)).append('\n');
    }
    return text.toString();
  }

  private static long count(RequestList list, Predicate<JobRequested> which) {
    return IntStream.range(0, list.size()).mapToObj(list::get).filter(which).count();
  }

  private ParsedExperiment parse(String text) throws IOException, UserMistakeException {
    Path file = Files.writeString(folder.resolve("config.yaml"), text);
    return ExperimentFile.read(file, List.of(), VOCABULARY);
  }

  private RequestList list(String text) throws IOException, UserMistakeException {
    return RequestList.of(parse(text), ALONE);
  }

  private void writeTrace(String text) throws IOException {
    Files.writeString(folder.resolve("load.csv"), text);
  }

  private void writeRequests(RequestList list) throws IOException {
    try (var writer =
        RecordingWriter.ofRequests(
            folder.resolve("load.gz"), RecordingHeader.requests(list.digest()))) {
      for (int i = 0; i < list.size(); i++) {
        JobRequested r = list.get(i);
        writer.write(
            new RecordedRequest(
                r.intendedAtNs(),
                new RequestKind(
                    r.classType(),
                    r.workload(),
                    r.backend(),
                    r.precision(),
                    r.samples(),
                    r.sloNs())));
      }
      writer.finish();
    }
  }

  private void writeLog(ParsedExperiment parsed, RequestList list, int sent, String digest)
      throws IOException {
    var header =
        new RecordingHeader(
            RecordingHeader.VERSION,
            Kind.LOG,
            "r-1",
            1000,
            1,
            "1",
            digest,
            ResolvedConfig.digest(parsed.experiment()),
            ResolvedConfig.write(parsed.experiment()));
    try (var writer = RecordingWriter.ofLog(folder.resolve("load.gz"), header)) {
      for (int i = 0; i < sent; i++) {
        JobRequested r = list.get(i);
        var job =
            new JobRequested(
                r.jobId(),
                0,
                r.index(),
                r.classType(),
                r.workload(),
                r.backend(),
                r.precision(),
                r.samples(),
                r.sloNs(),
                r.intendedAtNs(),
                r.intendedAtNs() + 5);
        writer.write(new RecordedEntry("facts", 0, i, 2000 + i, EventCodec.FACTS.write(job)));
      }
      writer.finish();
    }
  }
}
