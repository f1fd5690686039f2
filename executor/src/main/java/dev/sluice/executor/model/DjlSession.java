package dev.sluice.executor.model;

import ai.djl.Model;
import ai.djl.engine.EngineException;
import ai.djl.inference.Predictor;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.translate.NoBatchifyTranslator;
import ai.djl.translate.TranslateException;
import ai.djl.translate.TranslatorContext;
import dev.sluice.contract.experiment.ModelInput;
import dev.sluice.contract.experiment.ModelInput.Dtype;
import dev.sluice.executor.network.Precision;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.ShortBuffer;
import java.util.List;
import java.util.stream.LongStream;

/** A DJL predictor that joins its inputs in its lane's buffer. */
final class DjlSession implements InferenceSession {
  private final List<ModelInput> inputs;
  private final int elementsPerSample;
  private final Predictor<List<JobInput>, float[][]> predictor;
  private final InputBuffer buffer;
  private final Runnable onClose;
  private boolean closed;

  /**
   * @param onClose runs at the first close, once
   */
  DjlSession(Model model, List<ModelInput> inputs, InputBuffer buffer, Runnable onClose) {
    this.buffer = buffer;
    this.onClose = onClose;
    this.inputs = List.copyOf(inputs);
    this.elementsPerSample = inputs.stream().mapToInt(ModelInput::elementsPerSample).sum();
    this.predictor = model.newPredictor(new Joining());
  }

  @Override
  public float[][] infer(List<JobInput> jobs) throws InferenceException {
    if (closed || jobs.isEmpty()) {
      throw new IllegalArgumentException(closed ? "the session is closed" : "no jobs to infer");
    }
    for (JobInput job : jobs) {
      if (job.values().length != job.samples() * elementsPerSample) {
        throw new IllegalArgumentException(
            "job (%s) has (%d) values, not (%d) samples of %s"
                .formatted(job.jobId(), job.values().length, job.samples(), inputs));
      }
    }
    try {
      return predictor.predict(jobs);
    } catch (TranslateException | EngineException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new InferenceException("inference failed: " + cause.getMessage(), e);
    }
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      try {
        predictor.close();
      } finally {
        onClose.run();
      }
    }
  }

  static Shape shape(int samples, List<Integer> ofSample) {
    return new Shape(
        LongStream.concat(LongStream.of(samples), ofSample.stream().mapToLong(Integer::longValue))
            .toArray());
  }

  /** Translates jobs into one tensor, and the logits' tensor into rows. DJL closes both tensors. */
  private final class Joining implements NoBatchifyTranslator<List<JobInput>, float[][]> {
    private static final String SAMPLES = "samples";
    private static final int PIECE = 1 << 16;

    @Override
    public NDList processInput(TranslatorContext context, List<JobInput> jobs) {
      int samples = jobs.stream().mapToInt(JobInput::samples).sum();
      context.setAttachment(SAMPLES, samples);
      int bytes = 0;
      for (ModelInput input : inputs) {
        bytes = Math.addExact(bytes, room(input, samples));
      }
      ByteBuffer joined = buffer.cleared(bytes);
      var tensors = new NDList();
      int at = 0;
      int element = 0;
      for (ModelInput input : inputs) {
        int length = Math.multiplyExact(samples, input.elementsPerSample()) * input.dtype().bytes();
        ByteBuffer part = joined.slice(at, length).order(joined.order());
        put(jobs, input, element, part);
        NDArray tensor =
            context
                .getNDManager()
                .create(part.rewind(), shape(samples, input.shape()), type(input));
        if (!input.name().isEmpty()) {
          tensor.setName(input.name());
        }
        tensors.add(tensor);
        at += room(input, samples);
        element += input.elementsPerSample();
      }
      return tensors;
    }

    /** Bytes that an input takes in the buffer, so that the next one is aligned. */
    private static int room(ModelInput input, int samples) {
      int bytes =
          Math.multiplyExact(
              Math.multiplyExact(samples, input.elementsPerSample()), input.dtype().bytes());
      return Math.addExact(bytes, 7) & ~7;
    }

    private static DataType type(ModelInput input) {
      return switch (input.dtype()) {
        case FLOAT32 -> DataType.FLOAT32;
        case FLOAT16 -> DataType.FLOAT16;
        case INT64 -> DataType.INT64;
        case INT32 -> DataType.INT32;
        case UINT8 -> DataType.UINT8;
      };
    }

    private void put(List<JobInput> jobs, ModelInput input, int element, ByteBuffer to) {
      int elements = input.elementsPerSample();
      boolean asTheyAre = input.dtype() == Dtype.FLOAT32 && input.range().isEmpty();
      FloatBuffer floats = to.asFloatBuffer();
      for (JobInput job : jobs) {
        if (asTheyAre && inputs.size() == 1) {
          put(job.values(), floats);
          continue;
        }
        for (int sample = 0; sample < job.samples(); sample++) {
          int from = sample * elementsPerSample + element;
          if (asTheyAre) {
            floats.put(job.values(), from, elements);
          } else {
            for (int i = from; i < from + elements; i++) {
              put(drawn(job.values()[i], input), input.dtype(), to);
            }
          }
        }
      }
    }

    /** The value that an input has for a uniform one in ±√3. */
    private static double drawn(float value, ModelInput input) {
      if (input.range().isEmpty()) {
        return value;
      }
      double least = input.range().get(0);
      double greatest = input.range().get(1);
      double share = (value / JobInput.HALF_WIDTH + 1) / 2; // from 0 to below 1
      return input.dtype().isWhole()
          ? Math.min(greatest, least + Math.floor(share * (greatest - least + 1)))
          : least + share * (greatest - least);
    }

    private static void put(double value, Dtype dtype, ByteBuffer to) {
      switch (dtype) {
        case FLOAT32 -> to.putFloat((float) value);
        case FLOAT16 ->
            to.putShort((short) Precision.binary16(Float.floatToIntBits((float) value)));
        case INT64 -> to.putLong((long) value);
        case INT32 -> to.putInt((int) value);
        case UINT8 -> to.put((byte) (int) value);
      }
    }

    /** In pieces: one copy of many megabytes would delay every pause of the JVM. */
    private static void put(float[] from, FloatBuffer to) {
      for (int i = 0; i < from.length; i += PIECE) {
        to.put(from, i, Math.min(PIECE, from.length - i));
      }
    }

    @Override
    public float[][] processOutput(TranslatorContext context, NDList outputs)
        throws TranslateException {
      int samples = (Integer) context.getAttachment(SAMPLES);
      NDArray logits = outputs.get(0);
      Shape shape = logits.getShape();
      boolean halves = logits.getDataType() == DataType.FLOAT16;
      if (shape.dimension() != 2
          || shape.get(0) != samples
          || (!halves && logits.getDataType() != DataType.FLOAT32)) {
        throw new TranslateException(
            "the model gave %s of %s for (%d) samples, not [samples, classes] of float32 or float16"
                .formatted(shape, logits.getDataType(), samples));
      }
      float[] values = halves ? ofHalves(logits) : logits.toFloatArray();
      int classes = values.length / samples;
      var rows = new float[samples][classes];
      for (int row = 0; row < samples; row++) {
        System.arraycopy(values, row * classes, rows[row], 0, classes);
      }
      return rows;
    }

    private static float[] ofHalves(NDArray logits) {
      ShortBuffer halves = logits.toByteBuffer().order(ByteOrder.nativeOrder()).asShortBuffer();
      var values = new float[halves.remaining()];
      for (int i = 0; i < values.length; i++) {
        values[i] = Precision.ofBinary16(halves.get(i));
      }
      return values;
    }
  }
}
