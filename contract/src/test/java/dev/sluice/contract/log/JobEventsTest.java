package dev.sluice.contract.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobEnded.Status;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.value.DispatchId;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;

final class JobEventsTest {
  private static final String[] CHANGES = {
    "",
    "0",
    "00",
    "-",
    "9",
    "99999999999999999999",
    "\"",
    "\\",
    "\\u0041",
    ",",
    "}",
    " ",
    "\n",
    "null",
    "1.0",
    "1e3",
    "\u00e4",
    "\u0000",
    "\"version\":2",
    "\"x\":1,",
    "{",
    "-1"
  };

  private static final ObjectReader JACKSON =
      JsonMapper.builder()
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .annotationIntrospector(new EventCodec.NothingMissing())
          .build()
          .reader();

  private static final ObjectWriter JACKSON_WRITER = new JsonMapper().writer();

  private static final JobRequested REQUESTED =
      new JobRequested("job-17", 1, 17, "batch", "vit", "onnx", "fp32", 4, 20, 0, 1_234_567_890);
  private static final JobEnded DONE =
      new JobEnded("job-17", Status.DONE, null, new DispatchId(123, 4), 2, 987_654_321_000L);

  @Example
  void whatTheCodecWritesIsReadWithoutJackson() {
    assertThat(JobEvents.requested(EventCodec.FACTS.write(REQUESTED))).isEqualTo(REQUESTED);
    assertThat(JobEvents.done(EventCodec.OUTCOMES.write(DONE))).isEqualTo(DONE);
  }

  /** The bytes of every request and every end are those that Jackson writes. */
  @Property
  void writesTheBytesOfJackson(@ForAll String text, @ForAll long number, @ForAll boolean plain)
      throws Exception {
    String name = plain ? "job-" + Long.toString(number, 36).replace('-', 'x') : text;
    long at = number == Long.MIN_VALUE ? 0 : Math.abs(number);
    int small = (int) (at % Integer.MAX_VALUE);
    var requested =
        new JobRequested(
            name, small, at, "batch", "vit", "onnx", name, small + 1, at / 2 + 1, at, number);
    assertThat(EventCodec.FACTS.write(requested))
        .isEqualTo(JACKSON_WRITER.forType(Fact.class).writeValueAsBytes(requested));
    var done = JobEnded.done(name, new DispatchId(at, small), small, number);
    assertThat(EventCodec.OUTCOMES.write(done))
        .isEqualTo(JACKSON_WRITER.forType(Outcome.class).writeValueAsBytes(done));
    if (plain && number >= 0) {
      assertThat(JobEvents.written((Fact) requested)).isNotNull();
      assertThat(JobEvents.written((Outcome) done)).isNotNull();
    }
  }

  @Example
  void otherEndsAreLeftToJackson() throws Exception {
    var dropped = new JobEnded("job-17", Status.DROPPED, "late", null, 0, 5);
    byte[] bytes = EventCodec.OUTCOMES.write(dropped);
    assertThat(JobEvents.done(bytes)).isNull();
    assertThat(JobEvents.written((Outcome) dropped)).isNull();
    assertThat(EventCodec.OUTCOMES.read(bytes)).isEqualTo(dropped);
  }

  /** Bytes that were changed anywhere are left to Jackson, or mean what Jackson says. */
  @Property(tries = 5000)
  void agreesWithJacksonOnChangedBytes(@ForAll long seed) {
    var random = new Random(seed);
    String fact = changed(new String(EventCodec.FACTS.write(REQUESTED), UTF_8), random);
    JobRequested requested = JobEvents.requested(fact.getBytes(UTF_8));
    if (requested != null) {
      assertThat(jackson(fact, Fact.class)).as(fact).isEqualTo(requested);
    }
    String outcome = changed(new String(EventCodec.OUTCOMES.write(DONE), UTF_8), random);
    JobEnded done = JobEvents.done(outcome.getBytes(UTF_8));
    if (done != null) {
      assertThat(jackson(outcome, Outcome.class)).as(outcome).isEqualTo(done);
    }
  }

  private static String changed(String text, Random random) {
    int from = random.nextInt(text.length() + 1);
    int to = Math.min(text.length(), from + random.nextInt(4));
    return text.substring(0, from) + CHANGES[random.nextInt(CHANGES.length)] + text.substring(to);
  }

  private static @Nullable Object jackson(String text, Class<?> type) {
    try {
      return JACKSON.forType(type).readValue(text.getBytes(UTF_8));
    } catch (java.io.IOException e) {
      return null;
    }
  }
}
