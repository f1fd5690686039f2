package dev.sluice.contract.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.event.ArrivalsEnded;
import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchCompleted.JobResult;
import dev.sluice.contract.event.BatchCompleted.Result;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.BatchDispatched.Decision;
import dev.sluice.contract.event.BatchDispatched.DispatchedJob;
import dev.sluice.contract.event.BatchDispatched.Place;
import dev.sluice.contract.event.BatchDispatched.Work;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.event.Dispatch;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.ExecutorReported.Lane;
import dev.sluice.contract.event.ExecutorReported.WarmUp;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.LanePrepared;
import dev.sluice.contract.event.ModelEvicted;
import dev.sluice.contract.event.ModelLoaded;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.event.PredictionsPublished;
import dev.sluice.contract.event.RoleJoined;
import dev.sluice.contract.event.RoleLeft;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunRecord;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.event.ShardTaken;
import dev.sluice.contract.event.Ticked;
import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.contract.value.Prediction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Events to bytes and back, and bytes that are no event. */
final class EventCodecTest {
  private static final String TICKED = "{\"type\":\"Ticked\",\"version\":1}";

  @Property
  void aFact_comesBackAsItWas(@ForAll("facts") Fact fact) throws Exception {
    assertThat(EventCodec.FACTS.read(EventCodec.FACTS.write(fact))).isEqualTo(fact);
  }

  @Property
  void aDispatch_comesBackAsItWas(@ForAll("dispatches") Dispatch dispatch) throws Exception {
    byte[] bytes = EventCodec.DISPATCHES.write(dispatch);
    assertThat(EventCodec.DISPATCHES.read(bytes)).isEqualTo(dispatch);
  }

  @Property
  void anOutcome_comesBackAsItWas(@ForAll("outcomes") Outcome outcome) throws Exception {
    assertThat(EventCodec.OUTCOMES.read(EventCodec.OUTCOMES.write(outcome))).isEqualTo(outcome);
  }

  @Property
  void aRunRecord_comesBackAsItWas(@ForAll("runRecords") RunRecord recorded) throws Exception {
    assertThat(EventCodec.RUNS.read(EventCodec.RUNS.write(recorded))).isEqualTo(recorded);
  }

  @Property
  void bytesThatAreNoEvent_areRefusedInOneWay(@ForAll byte[] bytes) {
    assertThatThrownBy(() -> EventCodec.FACTS.read(bytes))
        .isInstanceOf(UnreadableEventException.class);
  }

  @Property
  void anEventWithFlippedBytes_isReadOrRefused_andNothingElse(
      @ForAll("facts") Fact fact, @ForAll int where, @ForAll byte flip) {
    byte[] bytes = EventCodec.FACTS.write(fact);
    bytes[Math.floorMod(where, bytes.length)] ^= flip;
    try {
      assertThat(EventCodec.FACTS.read(bytes)).isNotNull();
    } catch (UnreadableEventException e) {
      assertThat(e.getMessage()).isNotBlank();
    }
  }

  @Property
  void aCutEvent_isRefused(@ForAll("facts") Fact fact, @ForAll int where) {
    String json = new String(EventCodec.FACTS.write(fact), StandardCharsets.UTF_8);
    byte[] cut =
        json.substring(0, Math.floorMod(where, json.length())).getBytes(StandardCharsets.UTF_8);
    assertThatThrownBy(() -> EventCodec.FACTS.read(cut))
        .isInstanceOf(UnreadableEventException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "null",
        "[]",
        "{}",
        "7",
        "\"Ticked\"",
        "{\"type\":\"Tocked\"}",
        "{\"type\":\"RunEnded\",\"runId\":\"r\",\"jobsSent\":1}",
        TICKED + TICKED,
        "{\"type\":\"ArrivalsEnded\"}",
        "{\"type\":\"ArrivalsEnded\",\"generator\":null,\"jobsSent\":1,\"latenessNsP99\":1,\"latenessNsMax\":1,\"clockOffsetNsMax\":1}",
        "{\"type\":\"ArrivalsEnded\",\"generator\":0,\"jobsSent\":2.7,\"latenessNsP99\":1,\"latenessNsMax\":1,\"clockOffsetNsMax\":1}",
        "{\"type\":\"ArrivalsEnded\",\"generator\":-1,\"jobsSent\":1,\"latenessNsP99\":1,\"latenessNsMax\":1,\"clockOffsetNsMax\":1}",
        "{\"type\":\"BatchCompleted\",\"dispatchId\":\"12\",\"executorId\":\"e\",\"incarnation\":1,\"lane\":0,\"serviceNs\":1,\"switchNs\":0,\"result\":\"FAILED\",\"results\":[]}",
        "{\"type\":\"WorkflowRequested\",\"requestId\":\"r\",\"generator\":0,\"index\":0,\"workflowId\":\"w\",\"classType\":\"batch\",\"intendedAtNs\":0,\"sentAtNs\":0,\"nodes\":[]}",
        "{\"type\":\"WorkflowRequested\",\"requestId\":\"r\",\"generator\":0,\"index\":0,\"workflowId\":\"w\",\"classType\":\"batch\",\"intendedAtNs\":0,\"sentAtNs\":0,\"nodes\":[{\"nodeId\":\"a\",\"workload\":\"m\",\"backend\":\"onnx\",\"precision\":\"fp32\",\"samples\":1,\"lanes\":1,\"expectedNs\":1,\"inputs\":[1]},{\"nodeId\":\"b\",\"workload\":\"m\",\"backend\":\"onnx\",\"precision\":\"fp32\",\"samples\":1,\"lanes\":1,\"expectedNs\":1,\"inputs\":[0]}]}",
        "{\"type\":\"WorkflowRequested\",\"requestId\":\"r\",\"generator\":0,\"index\":0,\"workflowId\":\"w\",\"classType\":\"batch\",\"intendedAtNs\":0,\"sentAtNs\":0,\"nodes\":[{\"nodeId\":\"a\",\"workload\":\"m\",\"backend\":\"onnx\",\"precision\":\"fp32\",\"samples\":1,\"lanes\":1,\"expectedNs\":1,\"inputs\":[]},{\"nodeId\":\"a\",\"workload\":\"m\",\"backend\":\"onnx\",\"precision\":\"fp32\",\"samples\":1,\"lanes\":1,\"expectedNs\":1,\"inputs\":[]}]}",
        "{\"type\":\"WorkflowRequested\",\"requestId\":\"r\",\"generator\":0,\"index\":0,\"workflowId\":\"w\",\"classType\":\"batch\",\"intendedAtNs\":0,\"sentAtNs\":0,\"nodes\":[{\"nodeId\":\"a\",\"workload\":\"m\",\"backend\":\"onnx\",\"precision\":\"fp32\",\"samples\":1,\"lanes\":1,\"expectedNs\":1,\"inputs\":[7]}]}",
        "{\"type\":\"WorkflowRequested\",\"requestId\":\"r\",\"generator\":0,\"index\":0,\"workflowId\":\"w\",\"classType\":\"batch\",\"intendedAtNs\":0,\"sentAtNs\":0,\"nodes\":[{\"nodeId\":\"a\",\"workload\":\"m\",\"backend\":\"onnx\",\"precision\":\"fp32\",\"samples\":1,\"lanes\":1,\"expectedNs\":1,\"inputs\":[]},{\"nodeId\":\"b\",\"workload\":\"m\",\"backend\":\"onnx\",\"precision\":\"fp32\",\"samples\":1,\"lanes\":1,\"expectedNs\":1,\"inputs\":[0,0]}]}",
        "{\"type\":\"WorkflowRequested\",\"requestId\":\"r\",\"generator\":0,\"index\":0,\"workflowId\":\"w\",\"classType\":\"batch\",\"intendedAtNs\":0,\"sentAtNs\":0,\"nodes\":[{\"nodeId\":\"a\",\"workload\":\"m\",\"backend\":\"onnx\",\"precision\":\"fp32\",\"samples\":1,\"lanes\":1,\"expectedNs\":1,\"inputs\":[0]}]}",
      })
  void whatIsNoWholeFact_isRefused(String text) {
    assertThatThrownBy(() -> EventCodec.FACTS.read(text.getBytes(StandardCharsets.UTF_8)))
        .isInstanceOf(UnreadableEventException.class)
        .message()
        .isNotBlank();
  }

  @Test
  void aDeeplyNestedText_isRefused() {
    byte[] bytes = "[".repeat(100_000).getBytes(StandardCharsets.UTF_8);
    assertThatThrownBy(() -> EventCodec.FACTS.read(bytes))
        .isInstanceOf(UnreadableEventException.class);
  }

  @Test
  void fieldsOfALaterVersion_areIgnored() throws Exception {
    String later = "{\"type\":\"Ticked\",\"version\":9,\"mood\":{\"good\":true}}";
    assertThat(EventCodec.FACTS.read(later.getBytes(StandardCharsets.UTF_8)))
        .isEqualTo(new Ticked());
  }

  @Provide
  Arbitrary<Fact> facts() {
    return Arbitraries.randomValue(random -> new Events(random).fact());
  }

  @Provide
  Arbitrary<Dispatch> dispatches() {
    return Arbitraries.randomValue(
        random ->
            random.nextInt(4) == 0
                ? new Events(random).preparation()
                : new Events(random).dispatch());
  }

  @Provide
  Arbitrary<Outcome> outcomes() {
    return Arbitraries.randomValue(random -> new Events(random).outcome());
  }

  @Provide
  Arbitrary<RunRecord> runRecords() {
    return Arbitraries.randomValue(random -> new Events(random).runRecord());
  }

  /** Random events, with texts of any letters and numbers over their whole range. */
  private record Events(Random random) {
    Fact fact() {
      return switch (random.nextInt(10)) {
        case 0 -> runStarted();
        case 1 ->
            new JobRequested(
                text(),
                count(),
                random.nextLong() >>> 1,
                text(),
                text(),
                text(),
                text(),
                1 + count(),
                1 + count(),
                ns(),
                ns());
        case 2 ->
            new ExecutorReported(
                text(),
                ns(),
                random.nextBoolean(),
                text(),
                orNull(this::ns),
                list(() -> new Lane(count(), list(this::dispatchId))),
                list(() -> new Capability(text(), text(), text(), ns(), list(this::warmUp))),
                ns(),
                orNull(random::nextDouble),
                orNull(() -> (long) random.nextInt(1000)));
        case 3 ->
            new BatchCompleted(
                dispatchId(),
                text(),
                ns(),
                count(),
                ns(),
                ns(),
                ns(),
                ns(),
                Result.values()[random.nextInt(Result.values().length)],
                orNull(this::text),
                list(() -> new JobResult(text(), list(this::count))),
                orNull(this::ns),
                orNull(() -> 1 + count()));
        case 4 -> new ArrivalsEnded(count(), ns(), random.nextLong(), random.nextLong(), ns());
        case 5 -> predictions();
        case 6 -> workflow();
        case 7 ->
            new ModelLoaded(
                dispatchId(), text(), ns(), count(), model(), ns(), ns(), orNull(this::text));
        case 8 -> new ModelEvicted(dispatchId(), text(), ns(), count(), model(), ns());
        default -> new Ticked();
      };
    }

    LanePrepared preparation() {
      return new LanePrepared(
          dispatchId(), text(), ns(), count(), list(this::model), List.of(model()), ns());
    }

    private ModelKey model() {
      return new ModelKey(text(), text(), text());
    }

    private WorkflowRequested workflow() {
      List<WorkflowRequested.Node> nodes = new ArrayList<>();
      int size = 1 + random.nextInt(4);
      for (int i = 0; i < size; i++) {
        List<Integer> inputs = i == 0 || random.nextBoolean() ? List.of() : List.of(i - 1);
        nodes.add(
            new WorkflowRequested.Node(
                i + text(), text(), text(), text(), 1 + count(), 1 + count(), ns(), inputs));
      }
      return new WorkflowRequested(
          text(),
          count(),
          random.nextLong() >>> 1,
          text(),
          text(),
          orNull(() -> 1L + count()),
          ns(),
          random.nextLong(),
          nodes);
    }

    private PredictionsPublished predictions() {
      List<Double> residuals = random.doubles(random.nextInt(9), -14, 14).sorted().boxed().toList();
      return new PredictionsPublished(
          text(),
          text(),
          text(),
          1 + count(),
          List.of(
              new PredictionsPublished.Service(
                  text(), text(), "fp32", List.of(List.of(1L + count(), 9L))),
              new PredictionsPublished.Service(
                  text(), text(), "bf16", List.of(List.of(1L), List.of(2L + count())))),
          List.of(new PredictionsPublished.Calibration(text(), text(), residuals)));
    }

    BatchDispatched dispatch() {
      return new BatchDispatched(
          dispatchId(),
          new Place(text(), ns(), List.of(count())),
          new Work(
              new ModelKey(text(), text(), text()),
              List.of(new DispatchedJob(text(), 1 + count())),
              1 + count(),
              count(),
              1 + count()),
          new Decision(ns(), orNull(this::ns), Map.of(text(), random.nextGaussian()), null, null),
          new Prediction(
              ns(),
              text(),
              orNull(() -> 1 + count()),
              orNull(this::text),
              orNull(this::ns),
              orNull(this::ns),
              orNull(this::ns)));
    }

    Outcome outcome() {
      if (random.nextInt(3) == 0) {
        long fromNs = ns();
        return new Blocked(fromNs, fromNs + 1 + count(), text());
      }
      return new JobEnded(
          text(),
          JobEnded.Status.values()[random.nextInt(JobEnded.Status.values().length)],
          orNull(this::text),
          orNull(this::dispatchId),
          count(),
          ns());
    }

    RunRecord runRecord() {
      return switch (random.nextInt(5)) {
        case 0 -> runStarted();
        case 1 -> new RoleJoined(role(), text(), text(), orNull(this::count));
        case 2 -> new ShardTaken(count(), text(), orNull(this::text));
        case 3 -> new RoleLeft(role(), text());
        default ->
            new RunEnded(
                text(),
                ns(),
                random.nextBoolean(),
                random.nextBoolean(),
                ns(),
                orNull(this::text),
                orNull(this::ns));
      };
    }

    private RoleJoined.Role role() {
      return RoleJoined.Role.values()[random.nextInt(RoleJoined.Role.values().length)];
    }

    private RunStarted runStarted() {
      return new RunStarted(
          text(),
          ns(),
          random.nextLong(),
          text(),
          text(),
          1 + count(),
          1 + count(),
          orNull(this::ns));
    }

    private WarmUp warmUp() {
      return new WarmUp(1 + count(), 1 + count());
    }

    private DispatchId dispatchId() {
      return new DispatchId(ns(), count());
    }

    private long ns() {
      return random.nextLong() >>> (1 + random.nextInt(62));
    }

    private int count() {
      return random.nextInt(1_000_000);
    }

    private String text() {
      return random
          .ints(random.nextInt(12), 0, 0x11000)
          .filter(c -> c < Character.MIN_SURROGATE || c > Character.MAX_SURROGATE)
          .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
          .toString();
    }

    private <T> T orNull(Supplier<T> value) {
      return random.nextBoolean() ? value.get() : null;
    }

    private <T> List<T> list(Supplier<T> element) {
      return Stream.generate(element).limit(random.nextInt(4)).toList();
    }
  }
}
