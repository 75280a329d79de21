"""Trained estimators beside the libraries that trained them: ``python -m benchmarks.estimators``.

Estimators and pipelines of scikit-learn, LightGBM and XGBoost are trained on small seeded data,
exported to ONNX, and run by opmill, by onnxruntime and by their own library. Needs beside opmill:
``pip install click onnxruntime scikit-learn skl2onnx lightgbm xgboost onnxmltools``.
"""
