package dev.sluice.layers.engine;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.model.InferenceException;
import dev.sluice.executor.model.InferenceSession;
import dev.sluice.executor.model.InputBuffer;
import dev.sluice.executor.model.JobInput;
import dev.sluice.layers.parameters.LayerFile;
import dev.sluice.layers.parameters.ParameterSource;
import dev.sluice.layers.schedule.Hooks;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A lane's session of a model whose layers come and go. After a failure it begins anew. */
final class LayeredSession implements InferenceSession {
  private final LayeredModel model;
  private final Path file;
  private final long budgetBytes;
  private final Function<ResidentLayers, Hooks> schedule;
  private final InputBuffer buffer;
  private @Nullable Running running;
  private boolean closed;

  /** What is open from the first inference on. */
  private record Running(ParameterSource source, ResidentLayers resident, Hooks hooks) {
    void close() throws IOException {
      resident.close();
      source.close();
    }
  }

  /**
   * @param file safetensors file of the model's parameters
   * @param buffer buffer of the session's lane
   */
  LayeredSession(
      LayeredModel model,
      Path file,
      long budgetBytes,
      Function<ResidentLayers, Hooks> schedule,
      InputBuffer buffer) {
    this.model = model;
    this.file = file;
    this.budgetBytes = budgetBytes;
    this.schedule = schedule;
    this.buffer = buffer;
  }

  @Override
  public float[][] infer(List<JobInput> jobs) throws InferenceException {
    if (closed || jobs.isEmpty()) {
      throw new IllegalArgumentException(closed ? "the session is closed" : "no jobs to infer");
    }
    int samples = jobs.stream().mapToInt(JobInput::samples).sum();
    int elements = jobs.stream().mapToInt(job -> job.values().length).sum();
    ByteBuffer in = buffer.cleared(Math.multiplyExact(Float.BYTES, elements));
    FloatBuffer values = in.asFloatBuffer();
    jobs.forEach(job -> values.put(job.values()));
    boolean whole = false;
    try {
      Running now = running();
      float[] logits = model.forward(in, samples, now.hooks(), now.resident());
      whole = true;
      return rows(logits, samples);
    } catch (LayerReadException e) {
      throw new InferenceException("inference failed: " + e.getMessage(), e);
    } finally {
      if (!whole) {
        end(); // its schedule stopped in the middle of a step
      }
    }
  }

  private Running running() throws InferenceException {
    Running now = running;
    if (now == null) {
      try {
        ParameterSource source = LayerFile.open(file, model.tensors());
        ResidentLayers resident = model.resident(source, budgetBytes, () -> 0, LayerTrace.NONE);
        now = new Running(source, resident, schedule.apply(resident));
        running = now;
      } catch (UserMistakeException | IOException e) {
        throw new InferenceException("the parameters cannot be read: " + e.getMessage(), e);
      }
    }
    return now;
  }

  private static float[][] rows(float[] logits, int samples) {
    int classes = logits.length / samples;
    var rows = new float[samples][classes];
    for (int row = 0; row < samples; row++) {
      System.arraycopy(logits, row * classes, rows[row], 0, classes);
    }
    return rows;
  }

  private void end() throws InferenceException {
    Running now = running;
    running = null;
    if (now != null) {
      try {
        now.close();
      } catch (IOException e) {
        throw new InferenceException("the parameters' file cannot be closed: " + e, e);
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    try {
      end();
    } catch (InferenceException e) {
      throw new IllegalStateException(e);
    }
  }
}
