package dev.sluice.contract.codec;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchCompleted.JobResult;
import dev.sluice.contract.event.BatchCompleted.Result;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.BatchDispatched.Decision;
import dev.sluice.contract.event.BatchDispatched.DispatchedJob;
import dev.sluice.contract.event.BatchDispatched.Place;
import dev.sluice.contract.event.BatchDispatched.Work;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobEnded.Status;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.event.Ticked;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.contract.value.Prediction;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import org.junit.jupiter.api.Test;

/** The JSON that is written and read by hand, beside the general way. */
final class HotJsonTest {
  private static final JsonMapper GENERAL =
      JsonMapper.builder()
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  @Property
  void writesTheBytesOfTheGeneralWay(
      @ForAll("facts") Fact fact,
      @ForAll("outcomes") Outcome outcome,
      @ForAll("dispatches") BatchDispatched dispatch)
      throws IOException {
    assertThat(EventCodec.FACTS.write(fact)).isEqualTo(generalBytes(fact, Fact.class));
    assertThat(EventCodec.OUTCOMES.write(outcome)).isEqualTo(generalBytes(outcome, Outcome.class));
    assertThat(EventCodec.DISPATCHES.write(dispatch))
        .isEqualTo(generalBytes(FlatDispatch.of(dispatch), FlatDispatch.class));
  }

  @Property
  void readsWhatItWrites(
      @ForAll("facts") Fact fact,
      @ForAll("outcomes") Outcome outcome,
      @ForAll("dispatches") BatchDispatched dispatch) {
    byte[] factBytes = HotJson.write(fact);
    byte[] outcomeBytes = HotJson.write(outcome);
    byte[] dispatchBytes = HotBatches.write(dispatch);
    checkOrLeft(factBytes, factBytes == null ? null : HotJson.readFact(factBytes), fact);
    checkOrLeft(outcomeBytes, outcomeBytes == null ? null : readOutcome(outcomeBytes), outcome);
    checkOrLeft(
        dispatchBytes, dispatchBytes == null ? null : readDispatch(dispatchBytes), dispatch);
  }

  private static Outcome readOutcome(byte[] bytes) {
    return HotJson.readOutcome(bytes);
  }

  private static BatchDispatched readDispatch(byte[] bytes) {
    return HotBatches.readDispatch(bytes);
  }

  /** Numbers below zero, and those of more than 18 digits, are written by hand and left unread. */
  private static void checkOrLeft(byte[] written, Object read, Object event) {
    if (read != null) {
      assertThat(read).isEqualTo(event);
    } else if (written != null) {
      assertThat(new String(written, UTF_8)).containsPattern("[:\\[,]-\\d|\\d{19}");
    }
  }

  @Property
  void readsWhatTheGeneralWayReads_orLeavesItTo(
      @ForAll("facts") Fact fact,
      @ForAll("outcomes") Outcome outcome,
      @ForAll("dispatches") BatchDispatched dispatch,
      @ForAll int where,
      @ForAll int letter) {
    byte[] factBytes = changed(EventCodec.FACTS.write(fact), where, letter);
    Fact read = HotJson.readFact(factBytes);
    if (read != null) {
      assertThat(read).isEqualTo(general(factBytes, Fact.class));
    }
    byte[] outcomeBytes = changed(EventCodec.OUTCOMES.write(outcome), where, letter);
    Outcome readOutcome = HotJson.readOutcome(outcomeBytes);
    if (readOutcome != null) {
      assertThat(readOutcome).isEqualTo(general(outcomeBytes, Outcome.class));
    }
    byte[] dispatchBytes = changed(EventCodec.DISPATCHES.write(dispatch), where, letter);
    BatchDispatched readDispatch = HotBatches.readDispatch(dispatchBytes);
    if (readDispatch != null) {
      assertThat(readDispatch).isEqualTo(general(dispatchBytes, FlatDispatch.class).event());
    }
  }

  @Property
  void readsOfADispatchWhatIsAskedFor(
      @ForAll("dispatches") BatchDispatched dispatch, @ForAll int where, @ForAll int letter) {
    byte[] bytes = EventCodec.DISPATCHES.write(dispatch);
    var start =
        new DispatchStart(
            dispatch.dispatchId(),
            dispatch.place().executorId(),
            dispatch.place().lanes(),
            dispatch.work().jobs().stream().map(DispatchedJob::jobId).toList());
    assertThat(DispatchStart.readOrNull(bytes)).isEqualTo(start);
    if (HotBatches.write(dispatch) != null && HotBatches.readDispatch(bytes) != null) {
      assertThat(HotBatches.readStart(bytes)).isEqualTo(start);
      assertThat(DispatchHead.readOrNull(bytes))
          .isEqualTo(new DispatchHead(start.id(), start.executorId()));
    }
    byte[] other = changed(bytes, where, letter);
    DispatchStart read = HotBatches.readStart(other);
    if (read != null) {
      assertThat(read).isEqualTo(DispatchStart.byParser(other));
    }
  }

  @Test
  void readsNoHeadOfADispatchThatIsCut() throws IOException {
    byte[] whole = golden(Path.of("src/test/resources/golden"), "BatchDispatched.v2.json");
    assertThat(DispatchHead.readOrNull(whole))
        .isEqualTo(new DispatchHead(new DispatchId(12, 0), "executor-0"));
    assertThat(DispatchHead.readOrNull(Arrays.copyOf(whole, whole.length - 1))).isNull();
    assertThat(DispatchHead.readOrNull(new byte[0])).isNull();
  }

  /** Changes, takes out or adds a byte, mostly one that JSON's numbers and lists are made of. */
  private static byte[] changed(byte[] bytes, int where, int letter) {
    String letters = "0123456789-+.eE,:\"{}[]n";
    byte other =
        (letter & 7) == 0
            ? (byte) (letter >> 3)
            : (byte) letters.charAt(Math.floorMod(letter >> 5, letters.length()));
    int at = Math.floorMod(where, bytes.length);
    byte[] before = Arrays.copyOf(bytes, at);
    byte[] after = Arrays.copyOfRange(bytes, at + 1, bytes.length);
    return switch (letter >> 3 & 3) {
      case 0 -> joined(before, after);
      case 1 -> joined(before, new byte[] {other, bytes[at]}, after);
      default -> joined(before, new byte[] {other}, after);
    };
  }

  private static byte[] joined(byte[]... parts) {
    var all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }

  @Property
  void readsFractionsAsTheGeneralWay(@ForAll("fractions") double number, @ForAll int change)
      throws IOException {
    String text =
        switch (change & 7) {
          case 0 -> BigDecimal.valueOf(number).toPlainString();
          case 1 -> number + "0";
          case 2 -> (float) number + "e-" + (change >>> 24);
          default -> Double.toString(number);
        };
    var input = new JsonInput(text.getBytes(UTF_8));
    double read = input.fraction(new byte[0]);
    if (input.endsWith(new byte[0])) {
      assertThat(read).isEqualTo(GENERAL.readValue(text, Double.class)).as(text);
      assertThat(1 / read).isEqualTo(1 / GENERAL.readValue(text, Double.class));
    }
  }

  @Property
  void namesKeepTheirBytes(@ForAll("jobs") JobRequested job) {
    String name = job.classType();
    byte[] bytes = name.getBytes(UTF_8);
    assertThat(Names.text(bytes, 0, bytes.length, name.hashCode()))
        .isEqualTo(new String(bytes, ISO_8859_1));
    byte[] kept = Names.bytes(name);
    boolean plain = name.chars().allMatch(Names::isPlain);
    assertThat(kept == null ? null : new String(kept, UTF_8)).isEqualTo(plain ? name : null);
  }

  private static <E> byte[] generalBytes(E event, Class<E> type) throws IOException {
    return GENERAL.writerFor(type).writeValueAsBytes(event);
  }

  private static <E> E general(byte[] bytes, Class<E> type) {
    try {
      return GENERAL.readerFor(type).readValue(bytes);
    } catch (IOException e) {
      throw new AssertionError("the general way refuses it", e);
    }
  }

  @Test
  void readsTheGoldenRecordsByHand() throws IOException {
    Path golden = Path.of("src/test/resources/golden");
    byte[] job = golden(golden, "JobRequested.v1.json");
    byte[] end = golden(golden, "JobEnded.v1.json");
    assertThat(HotJson.readFact(job)).isEqualTo(general(job, Fact.class));
    assertThat(HotJson.readOutcome(end)).isEqualTo(general(end, Outcome.class));
    byte[] batch = golden(golden, "BatchCompleted.v2.json");
    byte[] dispatch = golden(golden, "BatchDispatched.v2.json");
    byte[] tick = golden(golden, "Ticked.v1.json");
    byte[] blocked = golden(golden, "Blocked.v1.json");
    assertThat(HotJson.readFact(batch)).isNotNull().isEqualTo(general(batch, Fact.class));
    assertThat(HotBatches.readDispatch(dispatch))
        .isNotNull()
        .isEqualTo(general(dispatch, FlatDispatch.class).event());
    assertThat(HotJson.readFact(tick)).isNotNull().isEqualTo(general(tick, Fact.class));
    assertThat(HotJson.readOutcome(blocked)).isNotNull().isEqualTo(general(blocked, Outcome.class));
    assertThat(HotJson.readFact(golden(golden, "BatchCompleted.v1.json"))).isNull();
    assertThat(HotBatches.readDispatch(golden(golden, "BatchDispatched.v1.json"))).isNull();
    assertThat(HotJson.readOutcome(job)).isNull();
    assertThat(HotJson.readFact(end)).isNull();
  }

  private static byte[] golden(Path folder, String file) throws IOException {
    return Files.readString(folder.resolve(file)).strip().getBytes(UTF_8);
  }

  @Test
  void leavesWhatIsUnusualToTheGeneralWay() throws Exception {
    String json =
        "{\"type\":\"JobEnded\",\"jobId\":\"%s\",\"status\":\"%s\",\"reason\":%s,"
            + "\"dispatchId\":%s,\"attempt\":%s,\"endedAtNs\":%s,\"version\":%s}%s";
    assertThat(by(json, "j", "DONE", "null", "\"7-1\"", "1", "5", "1", ""))
        .isEqualTo(JobEnded.done("j", new DispatchId(7, 1), 1, 5));
    for (String[] unusual :
        new String[][] {
          {"\\u00e4", "DONE", "null", "null", "1", "5", "1", ""},
          {"j", "GONE", "null", "null", "1", "5", "1", ""},
          {"j", "DONE", "none", "null", "1", "5", "1", ""},
          {"j", "DONE", "null", "\"7\"", "1", "5", "1", ""},
          {"j", "DONE", "null", "null", "01", "5", "1", ""},
          {"j", "DONE", "null", "null", "1.5", "5", "1", ""},
          {"j", "DONE", "null", "null", "2147483648", "5", "1", ""},
          {"j", "DONE", "null", "null", "1", "1234567890123456789", "1", ""},
          {"j", "DONE", "null", "null", "1", "", "1", ""},
          {"j", "DONE", "null", "null", "1", "5", "2", ""},
          {"j", "DONE", "null", "null", "1", "5", "1", " "},
        }) {
      assertThat(by(json, unusual)).as(String.join(" ", unusual)).isNull();
    }
    byte[] escaped = json.formatted("\\u00e4", "DONE", "null", "null", 1, 5, 1, "").getBytes(UTF_8);
    assertThat(EventCodec.OUTCOMES.read(escaped))
        .isEqualTo(new JobEnded("ä", Status.DONE, null, null, 1, 5));
    byte[] wrong = json.formatted("j", "DONE", "null", "\"7\"", 1, 5, 1, "").getBytes(UTF_8);
    assertThatThrownBy(() -> EventCodec.OUTCOMES.read(wrong))
        .isInstanceOf(UnreadableEventException.class)
        .hasMessageContaining("OFFSET-INDEX");
  }

  private static Outcome by(String json, String... fields) {
    return HotJson.readOutcome(json.formatted((Object[]) fields).getBytes(UTF_8));
  }

  @Provide
  Arbitrary<JobRequested> jobs() {
    return Arbitraries.randomValue(
        random ->
            new JobRequested(
                text(random),
                random.nextInt() >>> 1,
                random.nextLong() >>> 1 + random.nextInt(60),
                text(random),
                text(random),
                text(random),
                text(random),
                1 + random.nextInt(64),
                1 + (random.nextLong() >>> 2),
                random.nextLong() >>> 1 + random.nextInt(60),
                random.nextLong() >> random.nextInt(60)));
  }

  @Provide
  Arbitrary<JobEnded> ends() {
    return Arbitraries.randomValue(
        random ->
            new JobEnded(
                text(random),
                Status.values()[random.nextInt(3)],
                random.nextBoolean() ? null : text(random),
                random.nextBoolean()
                    ? null
                    : new DispatchId(random.nextLong() >>> 1, random.nextInt(9)),
                random.nextInt(5) - 1,
                random.nextLong() >> random.nextInt(60)));
  }

  @Provide
  Arbitrary<Fact> facts() {
    return Arbitraries.frequencyOf(
        Tuple.of(2, jobs().map(job -> job)),
        Tuple.of(3, Arbitraries.randomValue(HotJsonTest::completed)),
        Tuple.of(1, Arbitraries.just(new Ticked())));
  }

  @Provide
  Arbitrary<Outcome> outcomes() {
    return Arbitraries.frequencyOf(
        Tuple.of(2, ends().map(end -> end)), Tuple.of(1, Arbitraries.randomValue(this::blocked)));
  }

  private Blocked blocked(Random random) {
    long fromNs = random.nextLong() >> 2 + random.nextInt(60);
    return new Blocked(fromNs, fromNs + 1 + random.nextInt(1 << 30), text(random));
  }

  private static BatchCompleted completed(Random random) {
    Result result = Result.values()[random.nextInt(3)];
    boolean began = result == Result.DONE || random.nextBoolean();
    return new BatchCompleted(
        dispatchId(random),
        text(random),
        ns(random),
        random.nextInt(20),
        began ? ns(random) : null,
        began ? ns(random) : null,
        random.nextLong() >>> 1 + random.nextInt(60),
        random.nextInt(9),
        result,
        random.nextBoolean() ? null : text(random),
        Stream.generate(() -> new JobResult(text(random), numbers(random)))
            .limit(random.nextInt(3))
            .toList(),
        random.nextBoolean() ? null : ns(random),
        random.nextBoolean() ? null : 1 + random.nextInt(20));
  }

  @Provide
  Arbitrary<BatchDispatched> dispatches() {
    return Arbitraries.randomValue(
        random -> {
          List<Integer> lanes = new ArrayList<>(numbers(random));
          lanes.add(random.nextInt(20));
          Map<String, Double> terms = new LinkedHashMap<>();
          for (int i = random.nextInt(5); i > 0; i--) {
            terms.put(text(random), random.nextInt(60) == 0 ? null : fraction(random));
          }
          return new BatchDispatched(
              dispatchId(random),
              new Place(text(random), ns(random), lanes),
              new Work(
                  new ModelKey(text(random), text(random), text(random)),
                  Stream.generate(() -> new DispatchedJob(text(random), 1 + random.nextInt(9)))
                      .limit(1 + random.nextInt(40))
                      .toList(),
                  1 + random.nextInt(300),
                  random.nextInt(300),
                  1 + random.nextInt(3)),
              new Decision(ns(random), random.nextBoolean() ? null : ns(random), terms),
              new Prediction(
                  ns(random),
                  text(random),
                  random.nextBoolean() ? null : 1 + random.nextInt(20),
                  random.nextBoolean() ? null : text(random),
                  random.nextBoolean() ? null : ns(random),
                  random.nextBoolean() ? null : ns(random),
                  random.nextBoolean() ? null : ns(random)));
        });
  }

  @Provide
  Arbitrary<Double> fractions() {
    return Arbitraries.randomValue(HotJsonTest::fraction).filter(Double::isFinite);
  }

  private static double fraction(Random random) {
    return switch (random.nextInt(6)) {
      case 0 -> random.nextInt();
      case 1 -> random.nextInt(10) - 5;
      case 2 -> random.nextInt(1 << 24) / 100.0;
      case 3 -> Double.longBitsToDouble(random.nextLong());
      case 4 -> -0.0 * random.nextInt(2);
      default -> random.nextGaussian() * Math.pow(10, random.nextInt(12) - 6);
    };
  }

  private static List<Integer> numbers(Random random) {
    return Stream.generate(() -> random.nextInt() >>> random.nextInt(32))
        .limit(random.nextInt(4))
        .toList();
  }

  private static DispatchId dispatchId(Random random) {
    return new DispatchId(random.nextLong() >>> 1 + random.nextInt(62), random.nextInt(9));
  }

  /** A time, mostly from zero on. */
  private static long ns(Random random) {
    long ns = random.nextLong() >>> 1 + random.nextInt(62);
    return random.nextInt(40) == 0 ? -ns : ns;
  }

  /** Mostly what ids and names are made of, at times any letter. */
  private static String text(Random random) {
    StringBuilder text = new StringBuilder();
    boolean odd = random.nextInt(80) == 0;
    for (int length = random.nextInt(12); length > 0; length--) {
      text.appendCodePoint(odd ? random.nextInt(0xd800) : 'a' + random.nextInt(26));
    }
    return text.toString();
  }
}
