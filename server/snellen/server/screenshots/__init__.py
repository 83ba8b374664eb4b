"""Screenshots as views: what an examinee may look at, within the limits of models' interfaces."""
