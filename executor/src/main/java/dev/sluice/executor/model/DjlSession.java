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
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.List;

/** A DJL predictor that joins its inputs in its lane's buffer. */
final class DjlSession implements InferenceSession {
  private final List<Integer> inputShape;
  private final int elementsPerSample;
  private final Predictor<List<JobInput>, float[][]> predictor;
  private final InputBuffer buffer;
  private Runnable onClose = () -> {};
  private boolean closed;

  /**
   * @param buffer buffer of the session's lane
   */
  DjlSession(Model model, List<Integer> inputShape, InputBuffer buffer) {
    this.buffer = buffer;
    this.inputShape = inputShape;
    this.elementsPerSample = inputShape.stream().reduce(1, Math::multiplyExact);
    this.predictor = model.newPredictor(new Joining());
  }

  /** Runs {@code action} at the first close, once. */
  void onClose(Runnable action) {
    onClose = action;
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
                .formatted(job.jobId(), job.values().length, job.samples(), inputShape));
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

  /** Translates jobs into one tensor, and the logits' tensor into rows. DJL closes both tensors. */
  private final class Joining implements NoBatchifyTranslator<List<JobInput>, float[][]> {
    private static final String SAMPLES = "samples";
    private static final int PIECE = 1 << 16;

    @Override
    public NDList processInput(TranslatorContext context, List<JobInput> jobs) {
      int samples = jobs.stream().mapToInt(JobInput::samples).sum();
      context.setAttachment(SAMPLES, samples);
      ByteBuffer joined = buffer.cleared(Math.multiplyExact(4 * samples, elementsPerSample));
      FloatBuffer values = joined.asFloatBuffer();
      jobs.forEach(job -> put(job.values(), values));
      var shape = new long[inputShape.size() + 1];
      shape[0] = samples;
      for (int i = 0; i < inputShape.size(); i++) {
        shape[i + 1] = inputShape.get(i);
      }
      return new NDList(context.getNDManager().create(joined, new Shape(shape), DataType.FLOAT32));
    }

    /**
     * Copies in pieces, since one copy of many megabytes would delay every pause of the JVM's
     * threads.
     */
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
      if (shape.dimension() != 2
          || shape.get(0) != samples
          || logits.getDataType() != DataType.FLOAT32) {
        throw new TranslateException(
            "the model gave %s of %s for (%d) samples, not [samples, classes] of float32"
                .formatted(shape, logits.getDataType(), samples));
      }
      float[] values = logits.toFloatArray();
      int classes = values.length / samples;
      var rows = new float[samples][classes];
      for (int row = 0; row < samples; row++) {
        System.arraycopy(values, row * classes, rows[row], 0, classes);
      }
      return rows;
    }
  }
}
