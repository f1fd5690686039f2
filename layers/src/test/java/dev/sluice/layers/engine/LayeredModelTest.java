package dev.sluice.layers.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.model.Engines;
import dev.sluice.executor.model.JobInput;
import dev.sluice.executor.model.LayerModule;
import dev.sluice.executor.model.ModelCache;
import dev.sluice.executor.model.ModelProgress;
import dev.sluice.executor.network.Network;
import dev.sluice.executor.network.Precision;
import dev.sluice.executor.network.TensorShape;
import dev.sluice.executor.network.Workloads;
import dev.sluice.layers.engine.ResidentLayers.LayerReadException;
import dev.sluice.layers.parameters.LayerFile;
import dev.sluice.layers.parameters.ParameterSource;
import dev.sluice.layers.parameters.ParameterSource.FiniteParameters;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Layers that come and go against the whole model: equal bits. */
@Tag("loop")
final class LayeredModelTest {
  private static final ModelCache CACHE = new ModelCache(Path.of("target", "test-model-cache"));

  @ParameterizedTest
  @ValueSource(strings = {"vit_tiny", "resnet18"})
  void logitsEqualTheWholeModels(String name) throws Exception {
    assertEqualLogits(name);
  }

  @Tag("slow")
  @ParameterizedTest
  @ValueSource(strings = {"vit", "resnet50"})
  void logitsOfLargeModelsEqualTheWholeModels(String name) throws Exception {
    assertEqualLogits(name);
  }

  private static void assertEqualLogits(String name) throws Exception {
    Network network = Workloads.network(name);
    Engines engines = Engines.prepare(1, CACHE);
    Path weights = CACHE.weights(name, ModelProgress.none());
    try (LayeredModel model = LayeredModel.load(network, engines)) {
      for (int samples : List.of(1, 3)) {
        ByteBuffer in = input(network, samples);
        float[] expected = whole(name, network, engines, in, samples);
        for (String schedule :
            List.of(ListedHooks.EAGER, ListedHooks.ON_DEMAND, ListedHooks.PREFETCH)) {
          long budget = budget(model, schedule);
          try (ParameterSource source = LayerFile.open(weights, model.tensors());
              ResidentLayers resident = model.resident(source, budget, () -> 0, LayerTrace.NONE)) {
            var hooks = new ListedHooks(schedule, model.names().size(), resident);
            for (int step = 0; step < 3; step++) {
              assertThat(model.forward(in, samples, hooks, resident))
                  .as("%s, %s, %d samples, step %d", name, schedule, samples, step)
                  .isEqualTo(expected);
            }
            assertThat(resident.residentBytesMax()).isLessThanOrEqualTo(budget);
            assertThat(resident.residentBytes())
                .isEqualTo(
                    schedule.equals(ListedHooks.EAGER) ? network.weightBytes(Precision.FP32) : 0);
          }
        }
      }
    }
  }

  /** Returns the least budget that a schedule needs. */
  private static long budget(LayeredModel model, String schedule) {
    List<Long> bytes =
        model.tensors().stream()
            .map(layer -> layer.stream().mapToLong(TensorShape::bytes).sum())
            .toList();
    return switch (schedule) {
      case ListedHooks.EAGER -> bytes.stream().mapToLong(Long::longValue).sum();
      case ListedHooks.ON_DEMAND -> Collections.max(bytes);
      default -> {
        long most = 0;
        for (int layer = 1; layer < bytes.size(); layer++) {
          most = Math.max(most, bytes.get(layer - 1) + bytes.get(layer));
        }
        yield most;
      }
    };
  }

  private static ByteBuffer input(Network network, int samples) {
    int elements = network.elementsBehind(0);
    ByteBuffer in = LayerModule.buffer(4 * samples * elements);
    in.asFloatBuffer().put(JobInput.make(7, "layers", samples, elements).values());
    return in;
  }

  private static float[] whole(
      String name, Network network, Engines engines, ByteBuffer in, int samples) throws Exception {
    Path file = CACHE.file(new ModelKey(name, "pytorch", "fp32"), ModelProgress.none());
    try (LayerModule whole = LayerModule.open(file, network.whole(), engines);
        LayerModule.Session session = whole.session()) {
      ByteBuffer out = LayerModule.buffer(whole.outputBytes(samples));
      session.compute(in, samples, out);
      var logits = new float[samples * Network.CLASSES];
      out.asFloatBuffer().get(logits);
      return logits;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {ListedHooks.EAGER, ListedHooks.ON_DEMAND, ListedHooks.PREFETCH})
  void aReadThatFails_isThrownByTheHookThatNeededIt_andAllIsFreed(String schedule)
      throws Exception {
    Network network = Workloads.network("vit_tiny");
    Engines engines = Engines.prepare(1, CACHE);
    Path weights = CACHE.weights("vit_tiny", ModelProgress.none());
    ByteBuffer in = input(network, 1);
    try (LayeredModel model = LayeredModel.load(network, engines)) {
      int layers = model.names().size();
      int steps = schedule.equals(ListedHooks.EAGER) ? 1 : 2;
      for (int failing = 0; failing < steps * layers; failing++) {
        var computed = new ArrayList<Integer>();
        LayerTrace trace =
            row -> {
              if (row.operation().equals(LayerTrace.Row.COMPUTE)) {
                computed.add(row.layer());
              }
            };
        ParameterSource source = new FailingAt(LayerFile.open(weights, model.tensors()), failing);
        ResidentLayers resident =
            model.resident(source, network.weightBytes(Precision.FP32), () -> 0, trace);
        var hooks = new ListedHooks(schedule, layers, resident);
        assertThatThrownBy(
                () -> {
                  for (int step = 0; step < steps; step++) {
                    model.forward(in, 1, hooks, resident);
                  }
                })
            .isInstanceOf(LayerReadException.class)
            .hasMessage(
                "layer %s could not be read: the disk is gone",
                model.names().get(failing % layers));
        assertThat(computed).hasSize(schedule.equals(ListedHooks.EAGER) ? 0 : failing);
        resident.close();
        source.close();
        assertThat(resident.residentBytes()).isZero();
      }
    }
  }

  @Test
  void aValueThatIsNoNumber_isNamedByLayerTensorAndIndex() throws Exception {
    Network network = Workloads.network("vit_tiny");
    try (LayeredModel model = LayeredModel.load(network, Engines.prepare(1, CACHE));
        ParameterSource file =
            LayerFile.open(CACHE.weights("vit_tiny", ModelProgress.none()), model.tensors());
        ParameterSource source =
            new FiniteParameters(new WithNanAt(file, 3, 192 + 5), model.tensors());
        ResidentLayers resident =
            model.resident(source, network.weightBytes(Precision.FP32), () -> 0, LayerTrace.NONE)) {
      resident.fetch(2);
      assertThatThrownBy(() -> resident.fetch(3))
          .isInstanceOf(LayerReadException.class)
          .hasMessage(
              "layer block_2 could not be read: tensor"
                  + " (encoder.layers.encoder_layer_2.ln_1.bias) holds NaN at index 5");
    }
  }

  /** A source with a NaN in one layer. */
  private record WithNanAt(ParameterSource source, int layer, int index)
      implements ParameterSource {
    @Override
    public void read(int of, ByteBuffer into) throws IOException {
      ByteBuffer values = into.duplicate().order(into.order());
      source.read(of, into);
      if (of == layer) {
        values.slice().order(ByteOrder.LITTLE_ENDIAN).putFloat(4 * index, Float.NaN);
      }
    }

    @Override
    public void close() throws IOException {
      source.close();
    }
  }

  @Test
  void prefetchingGoesOnBesideComputing_inTheListsOrder_andIsTraced() throws Exception {
    Network network = Workloads.network("vit_tiny");
    var rows = Collections.synchronizedList(new ArrayList<String>());
    LayerTrace trace =
        row ->
            rows.add(
                "%d %s %s %d %s"
                    .formatted(row.step(), row.hook(), row.operation(), row.layer(), row.thread()));
    var gate = new CountDownLatch(1);
    try (LayeredModel model = LayeredModel.load(network, Engines.prepare(1, CACHE));
        ParameterSource file =
            LayerFile.open(CACHE.weights("vit_tiny", ModelProgress.none()), model.tensors());
        ParameterSource gated = new Gated(file, gate);
        ResidentLayers resident =
            model.resident(gated, network.weightBytes(Precision.FP32), () -> 0, trace)) {
      resident.prefetch(0);
      resident.prefetch(1);
      assertThat(rows).containsExactly("0  prefetch 0 compute", "0  prefetch 1 compute");
      gate.countDown();
      resident.fetch(1);
      resident.release(0);
      resident.release(1);
      assertThat(rows)
          .filteredOn(row -> row.contains("read"))
          .containsExactly("0  read 0 reader", "0  read 1 reader");

      rows.clear();
      var hooks = new ListedHooks(ListedHooks.PREFETCH, model.names().size(), resident);
      model.forward(input(network, 1), 1, hooks, resident);
      assertThat(rows)
          .filteredOn(row -> row.endsWith("compute"))
          .startsWith(
              "1 on_pre_forward fetch 0 compute",
              "1 on_pre_forward prefetch 1 compute",
              "1 on_pre_forward compute 0 compute",
              "1 on_post_forward release 0 compute",
              "1 on_pre_forward fetch 1 compute");
    }
  }

  /** A source whose reads wait. */
  private record Gated(ParameterSource source, CountDownLatch gate) implements ParameterSource {
    @Override
    public void read(int layer, ByteBuffer into) throws IOException {
      try {
        gate.await();
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
      source.read(layer, into);
    }

    @Override
    public void close() throws IOException {
      source.close();
    }
  }

  @Test
  void closingEndsAReadThatWaits() throws Exception {
    Network network = Workloads.network("vit_tiny");
    var never = new CountDownLatch(1);
    try (LayeredModel model = LayeredModel.load(network, Engines.prepare(1, CACHE));
        ParameterSource file =
            LayerFile.open(CACHE.weights("vit_tiny", ModelProgress.none()), model.tensors());
        ParameterSource gated = new Gated(file, never)) {
      ResidentLayers resident =
          model.resident(gated, network.weightBytes(Precision.FP32), () -> 0, LayerTrace.NONE);
      resident.prefetch(0);
      resident.prefetch(1);
      resident.close();
      assertThat(resident.residentBytes()).isZero();
    }
  }
}
