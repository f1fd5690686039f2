package dev.sluice.contract.codec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobEnded.Status;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.value.DispatchId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
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
  void writesTheBytesOfTheGeneralWay(@ForAll("jobs") JobRequested job, @ForAll("ends") JobEnded end)
      throws IOException {
    assertThat(EventCodec.FACTS.write(job))
        .isEqualTo(GENERAL.writerFor(Fact.class).writeValueAsBytes(job));
    assertThat(EventCodec.OUTCOMES.write(end))
        .isEqualTo(GENERAL.writerFor(Outcome.class).writeValueAsBytes(end));
  }

  @Property
  void readsWhatTheGeneralWayReads_orLeavesItTo(
      @ForAll("jobs") JobRequested job,
      @ForAll("ends") JobEnded end,
      @ForAll int where,
      @ForAll byte flip) {
    byte[] fact = EventCodec.FACTS.write(job);
    fact[Math.floorMod(where, fact.length)] ^= flip;
    Fact read = HotJson.readFact(fact);
    if (read != null) {
      assertThat(read).isEqualTo(general(fact, Fact.class));
    }
    byte[] outcome = EventCodec.OUTCOMES.write(end);
    outcome[Math.floorMod(where, outcome.length)] ^= flip;
    Outcome readOutcome = HotJson.readOutcome(outcome);
    if (readOutcome != null) {
      assertThat(readOutcome).isEqualTo(general(outcome, Outcome.class));
    }
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
    byte[] job = Files.readString(golden.resolve("JobRequested.v1.json")).strip().getBytes(UTF_8);
    byte[] end = Files.readString(golden.resolve("JobEnded.v1.json")).strip().getBytes(UTF_8);
    assertThat(HotJson.readFact(job)).isEqualTo(general(job, Fact.class));
    assertThat(HotJson.readOutcome(end)).isEqualTo(general(end, Outcome.class));
    assertThat(HotJson.readOutcome(job)).isNull();
    assertThat(HotJson.readFact(end)).isNull();
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

  /** Mostly what ids and names are made of, at times any letter. */
  private static String text(Random random) {
    StringBuilder text = new StringBuilder();
    boolean odd = random.nextInt(8) == 0;
    for (int length = random.nextInt(12); length > 0; length--) {
      text.appendCodePoint(odd ? random.nextInt(0xd800) : 'a' + random.nextInt(26));
    }
    return text.toString();
  }
}
